"""What would settle a verdict on power-loss protection, and whose answers keep it open."""

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.survey.power_loss import ControllerEvidence, weigh
from fsadvisor.survey.power_loss_evidence import PlpEvidence
from tests.cases import each
from tests.survey.evidence import (
    NO_TOOL,
    SILENT,
    WRITE_THROUGH,
    YES,
    ctrl,
    family,
    nvme,
    ocp,
    other,
)

SHEET = (
    "read the data sheet of X for power-loss protection of data in flight, and say what it says:"
    " `fsadvisor attest disk.datasheet_plp`"
)


def test_the_data_sheet_is_the_last_step_of_what_answers_all_else():
    assert weigh(nvme()).steps == (SHEET,)
    assert weigh(nvme(model=SILENT)).steps[-1] == SHEET.replace(" of X", "")


def test_what_a_person_has_read_in_the_data_sheet_is_not_asked_again_and_what_is_still_missing_is_said():
    (step,) = weigh(nvme(datasheet=YES)).steps
    assert "takes the drive's own test of its capacitors" in step
    (step,) = weigh(nvme(datasheet=YES, family=family("absent", "X"))).steps
    assert step.startswith("find out who is right")
    assert (
        weigh(nvme({"smart_log": NO_TOOL}, datasheet=YES)).steps[0].startswith("install the tool, then ask the drive")
    )


def test_what_is_proven_needs_no_step_and_what_has_failed_needs_the_one():
    assert weigh(nvme({"ocp": ocp()})).steps == ()
    (step,) = weigh(nvme({"ocp": ocp(0)})).steps
    assert step.startswith("back up, keep barriers")


@pytest.mark.parametrize("transport", ["nvme", "virtio"])
def test_of_a_virtual_disk_who_runs_it_is_asked_and_nobody_else(transport):
    (step,) = weigh(nvme({"id_ctrl": NO_TOOL}, transport=transport, virtual=YES)).steps
    assert step.startswith("ask whoever runs the hypervisor")


@each(
    ("answer", "vwc", "step"),
    [
        (
            "id_ctrl",
            7,
            "ask the drive whether its write cache is volatile: `nvme id-ctrl /dev/it --output-format=json`",
        ),
        ("smart_log", 7, "ask the drive for a failed backup: `nvme smart-log /dev/it --output-format=json`"),
        ("ocp", 7, "ask for its capacitors: `nvme ocp smart-add-log /dev/it --output-format=json`"),
        ("cache_feature", 6, "ask whether feature 6 agrees: `nvme get-feature /dev/it --feature-id=6`"),
        ("smart", 7, "ask the drive for its own tests: `smartctl --json=o -x /dev/it`"),
    ],
)
def test_an_answer_that_lacks_a_tool_is_asked_for_once_the_tool_is_there(answer, vwc, step):
    found = weigh(nvme({"id_ctrl": ctrl(vwc), answer: NO_TOOL}, write_cache=WRITE_THROUGH))
    assert found.steps == (f"install the tool, then {step}", SHEET)
    assert found.missing is NO_TOOL
    if answer != "smart":
        plain = weigh(nvme({"id_ctrl": ctrl(vwc), answer: SILENT}, write_cache=WRITE_THROUGH))
        assert plain.steps == (step, SHEET)


@pytest.mark.parametrize(
    ("fact", "question"),
    [("model", "its model"), ("virtual", "whether it is hardware"), ("write_cache", "queue/write_cache")],
)
def test_what_no_command_tells_is_named(fact, question):
    found = weigh(nvme(**{fact: NO_TOOL}))
    assert found.steps[0] == f"install the tool, to learn {question}"
    assert found.missing is NO_TOOL
    assert weigh(nvme(**{fact: Unknown(Cause.DENIED, "")})).steps[0].startswith(("read", "ask"))


def test_a_controller_s_battery_policy_and_tool_are_the_steps_of_its_volumes():
    open_ = ControllerEvidence(says=PlpEvidence("unknown", "battery: not told", "storcli64"))
    assert [it.split()[0] for it in weigh(other(controller=open_)).steps] == ["have", "check"]


def test_a_bridge_is_taken_away_first():
    assert weigh(other("usb")).steps == ("attach the drive without the USB bridge", SHEET)
    assert weigh(other("sata")).steps == (SHEET,)


def test_a_kernel_that_flushes_a_cache_that_is_not_there_was_told_to():
    steps = [it for it in weigh(nvme({"id_ctrl": ctrl(6)})).steps if it.startswith("find what set queue/write_cache")]
    assert len(steps) == 1
    for case in (
        nvme(),
        nvme({"id_ctrl": ctrl(6)}, write_cache=WRITE_THROUGH),
        nvme({"id_ctrl": ctrl(6)}, write_cache=NO_TOOL),
    ):
        assert not [it for it in weigh(case).steps if it.startswith("find what set")]


@each(
    ("name", "plugin"),
    [
        ("Micron 7450", "micron"),
        ("WD Ultrastar DC SN640", "wdc"),
        ("SanDisk DC SN650", "sandisk"),
        ("Solidigm D7", "solidigm"),
        ("Seagate Nytro", "seagate"),
    ],
)
def test_a_maker_s_own_log_is_looked_at_where_the_common_one_is_not_answered(name, plugin):
    step = f"look at the capacitors in the maker's own log: `nvme {plugin} vs-smart-add-log /dev/it`"
    for verdict, found in (("claimed", "claimed"), ("unknown", "unknown")):
        weighed = weigh(nvme(family=family(verdict, name)))
        assert weighed.verdict == found
        assert weighed.steps == (step, SHEET)
    assert weigh(nvme(family=family("absent", name))).steps == (SHEET,)
    assert step not in weigh(other(family=family("claimed", name))).steps
    assert step not in weigh(nvme({"ocp": ocp(None)}, family=family("claimed", name))).steps


def test_no_maker_s_log_is_looked_at_of_a_family_that_has_none():
    assert weigh(nvme(family=family("claimed", "Samsung PM9A3"))).steps == (SHEET,)


def test_of_a_hard_disk_and_of_memory_there_is_nothing_to_read():
    assert weigh(other(rotational=YES)).steps == ()
    assert weigh(other("ram", family=family("absent"))).steps == ()
    assert weigh(nvme(family=family("absent"))).steps == (SHEET,)
