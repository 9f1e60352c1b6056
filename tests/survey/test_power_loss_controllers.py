"""Power-loss protection behind a RAID controller: battery, policy and the drives' own caches."""

import pytest

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.survey.controllers import Cache
from fsadvisor.survey.drive import Drive
from fsadvisor.survey.power_loss import DriveEvidence, by_controller, weigh
from tests.cases import each

NO_TOOL = Unknown(Cause.NO_TOOL, "install storcli64")
MODEL = Known("MR9361-8i", "sysfs")


def verdict(policy="write back", battery="optimal", drives="disabled", virtual=False):
    facts = [it if isinstance(it, Unknown) else Known(it, "storcli64") for it in (policy, battery, drives)]
    case = DriveEvidence(
        device="/dev/sda",
        transport="scsi",
        model=MODEL,
        family=None,
        virtual=Known(virtual, "host"),
        write_cache=Known("write back", "queue/write_cache"),
        rotational=Known(True, "queue/rotational"),
        drive=Drive(),
        controller=by_controller(Cache(policy=facts[0], battery=facts[1], drive_caches=facts[2]), "storcli64"),
    )
    return weigh(case)


@each(
    ("policy", "battery", "drives", "expected"),
    [
        ("write back", "optimal", "disabled", "proven"),
        ("always write back", "optimal", "disabled", "claimed"),
        ("write through", "optimal", "disabled", "claimed"),
        ("write back", "optimal", "enabled", "partial"),
        ("write back", "optimal", "default", "unknown"),
        ("write back", "charging", "disabled", "unknown"),
        ("always write back", "charging", "disabled", "unknown"),
        ("write through", "charging", "disabled", "unknown"),
        ("write back", "failed", "disabled", "failed"),
        ("always write back", "absent", "disabled", "absent"),
        ("write through", "absent", "disabled", "unknown"),
        ("write back", "absent", "disabled", "unknown"),
        ("write back", "charging", "enabled", "unknown"),
    ],
)
def test_all_three_have_to_hold(policy, battery, drives, expected):
    assert verdict(policy, battery, drives).fact.value == expected


@pytest.mark.parametrize("at", range(3))
def test_what_the_controllers_tool_did_not_say_leaves_it_open(at):
    told = ["write back", "optimal", "disabled"]
    told[at] = NO_TOOL
    found = verdict(*told)
    assert found.fact is NO_TOOL
    assert "install storcli64" in found.steps[0]


def test_a_failed_battery_decides_whatever_else_is_not_known():
    assert verdict(NO_TOOL, "failed", NO_TOOL).fact.value == "failed"


def test_a_volume_is_no_hard_disk_though_it_says_that_it_spins():
    assert verdict().fact.value == "proven"


def test_a_volume_inside_a_virtual_machine_proves_nothing():
    assert verdict(virtual=True).fact.value == "unknown"


def test_a_policy_that_nobody_could_tell_leaves_it_open():
    silent = Unknown(Cause.NOT_EXPOSED, "")
    found = verdict(policy=silent)
    assert (found.verdict, found.missing) == ("unknown", None)
    assert "its policy: not told" in found.evidence[0].says
    assert found.evidence[0].weight == "note"
    assert verdict(battery="failed").evidence[0].weight == "veto"
