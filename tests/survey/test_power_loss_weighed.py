"""Evidence against evidence: which word stands, and which leaves a verdict open."""

from typing import get_args

import pytest

from fsadvisor.drives import Family
from fsadvisor.facts import NOT_APPLICABLE, Cause, Known, Unknown
from fsadvisor.readers import nvme_logs
from fsadvisor.storage.about import PlpVerdict
from fsadvisor.survey import power_loss_evidence
from fsadvisor.survey.power_loss import ControllerEvidence, weakest
from fsadvisor.survey.power_loss import weigh as weighed_by_us
from fsadvisor.survey.power_loss_evidence import PlpEvidence, Weight
from tests.cases import each
from tests.survey.evidence import (
    NO,
    NO_TOOL,
    REFUSED,
    SILENT,
    WRITE_THROUGH,
    YES,
    ctrl,
    family,
    feature,
    log,
    nvme,
    ocp,
    other,
    row,
    smart,
)

SOURCES = {
    "drive table",
    "nvme get-feature --feature-id=6",
    "nvme id-ctrl",
    "nvme ocp smart-add-log",
    "nvme smart-log",
    "queue/write_cache",
    "smartctl",
    "storcli64",
    "sysfs",
    "transport",
    "",
}


def weigh(case):
    """And each piece of evidence is told in the words that the weighing knows, with a source that there is."""
    found = weighed_by_us(case)
    for it in found.evidence:
        assert it.verdict in get_args(PlpVerdict)
        assert it.weight in get_args(Weight)
        assert it.source in SOURCES
    return found


def says(case):
    return " | ".join(map(str, weigh(case).evidence))


@each("cause", [Cause.ASLEEP, Cause.DENIED, Cause.NO_TOOL, Cause.TIMED_OUT, Cause.UNREADABLE])
def test_smartctl_s_word_is_waited_for_where_it_can_be_had(cause):
    kept = Unknown(cause, "cure it")
    assert weigh(other(smart=kept)).missing is kept


def test_and_not_where_the_drive_has_none():
    assert weigh(other(smart=REFUSED)).missing is None
    assert weigh(nvme({"smart": REFUSED})).missing is None


def test_of_outputs_alone_it_is_asked_for_by_name_though_nothing_here_can_be_missing():
    alone = weigh(other(smart=SILENT, write_cache=NOT_APPLICABLE))
    assert alone.missing is None
    assert "ask the drive for its own tests" in alone.steps[0]
    assert "its own tests" not in " ".join(weigh(nvme({"smart": SILENT}, write_cache=NOT_APPLICABLE)).steps)
    assert "its own tests" not in " ".join(weigh(other(smart=SILENT)).steps)


@pytest.mark.parametrize(
    ("transport", "why"),
    [
        ("usb", "a USB bridge stands between: what it does with flushes can't be seen"),
        ("mmc", "eMMC and SD cards have"),
    ],
)
def test_behind_a_bridge_or_on_a_card_nothing_is_proven_or_claimed(transport, why):
    case = other(transport, family=family())
    assert weigh(case).verdict == "unknown"
    assert f"note: {why}" in says(case)
    proof = nvme({"ocp": ocp(), "smart": smart(row("Supercap_Status"))}, transport=transport)
    assert weigh(proof).verdict == "unknown"
    assert weigh(other("sata", family=family())).verdict == "claimed"


def test_memory_forgets_whatever_else_is_known():
    assert "for absent: lives in memory: a power loss takes everything (transport)" in says(other("ram"))
    assert weigh(other("ram")).evidence[0].weight == "veto"
    assert weigh(other("ram", virtual=YES)).verdict == "absent"
    assert weigh(other("ram", virtual=NO_TOOL, smart=NO_TOOL)).missing is None


def test_hardware_that_can_t_be_seen_is_said_and_what_can_be_learnt_is_a_step():
    told = "whether it is hardware can't be seen from here"
    assert told in says(nvme(virtual=SILENT))
    assert weigh(nvme(virtual=SILENT)).missing is None
    assert told not in says(nvme(virtual=NO_TOOL))
    assert weigh(nvme(virtual=NO_TOOL)).missing is NO_TOOL
    assert weigh(nvme(virtual=NO_TOOL)).verdict == "unknown"


def test_that_it_spins_decides_for_a_drive_that_is_one():
    spinning = smart(row("Power_On_Hours"), rotation_rate=7200)
    assert weigh(other(smart=spinning)).verdict == "absent"
    assert weigh(other(smart=spinning, virtual=NO_TOOL)).missing is NO_TOOL
    volume = ControllerEvidence(says=PlpEvidence("proven", "battery: optimal", "storcli64"))
    assert weigh(other(smart=spinning, controller=volume)).verdict == "proven"
    assert "it is rotational" not in says(other(rotational=YES, controller=volume))
    assert "it is rotational" in says(other(rotational=YES))
    assert "it is rotational" not in says(other(rotational=YES, virtual=NO_TOOL))


def test_a_controller_that_was_not_wholly_asked_proves_nothing():
    proven = PlpEvidence("proven", "battery: optimal", "storcli64")
    assert weigh(other(controller=ControllerEvidence(says=proven, missing=(NO_TOOL,)))).verdict == "unknown"
    assert weigh(other(controller=ControllerEvidence())).verdict == "unknown"


def test_a_proof_with_a_question_open_is_a_claim():
    assert weigh(nvme({"ocp": ocp()})).verdict == "proven"
    for question in ("id_ctrl", "smart"):
        found = weigh(nvme({"ocp": ocp(), question: NO_TOOL}))
        assert (found.verdict, found.missing) == ("claimed", NO_TOOL)


def test_outputs_alone_prove_by_their_test_of_capacitors():
    assert weigh(nvme({"ocp": ocp(), "id_ctrl": NO_TOOL}, write_cache=NOT_APPLICABLE)).verdict == "proven"
    assert "install the tool, then ask the drive whether" in " ".join(
        weigh(nvme({"id_ctrl": NO_TOOL}, write_cache=NOT_APPLICABLE)).steps
    )
    assert weigh(nvme({"smart_log": NO_TOOL}, write_cache=NOT_APPLICABLE)).missing is None
    assert weigh(nvme({"ocp": ocp(), "id_ctrl": ctrl(6)}, write_cache=NOT_APPLICABLE)).verdict == "proven"


def test_a_cloud_s_name_outweighs_a_test():
    assert weigh(nvme({"ocp": ocp()}, family=family("cloud"))).verdict == "unknown"


def test_no_volatile_cache_proves_for_a_protected_family_that_nothing_doubts():
    without = {"id_ctrl": ctrl(6), "cache_feature": REFUSED}
    assert weigh(nvme(without, family=family(), write_cache=WRITE_THROUGH)).verdict == "proven"
    assert weigh(nvme(without, family=family("unknown"), write_cache=WRITE_THROUGH)).verdict == "claimed"
    assert weigh(nvme(without, family=family())).verdict == "claimed"
    doubted = {**without, "cache_feature": feature(1)}
    assert weigh(nvme(doubted, family=family(), write_cache=WRITE_THROUGH)).verdict == "claimed"
    assert weigh(nvme(doubted, write_cache=WRITE_THROUGH)).verdict == "claimed"
    assert "id-ctrl says that there is no volatile write cache, get-feature 6 that it is on" in says(nvme(doubted))


@pytest.mark.parametrize("verdict", ["absent", "partial"])
def test_no_volatile_cache_of_a_family_without_protection_is_a_contradiction(verdict):
    without = nvme({"id_ctrl": ctrl(6), "cache_feature": REFUSED}, family=family(verdict), write_cache=WRITE_THROUGH)
    assert weigh(without).verdict == "unknown"
    assert "is sold without protection: the two contradict each other (drive table)" in says(without)
    assert weigh(nvme(family=family(verdict))).verdict == verdict
    assert "contradict" not in says(nvme(family=family(verdict)))


def test_a_cache_that_the_kernel_sees_otherwise_is_a_contradiction():
    assert "kernel says 'write back'" in says(nvme({"id_ctrl": ctrl(6)}))
    assert weigh(nvme({"id_ctrl": ctrl(6)})).verdict == "unknown"
    assert "sends no flushes: the two contradict" in says(nvme(write_cache=WRITE_THROUGH))
    assert "contradict" not in says(nvme({"id_ctrl": ctrl(6), "cache_feature": REFUSED}, write_cache=WRITE_THROUGH))
    assert "contradict" not in says(nvme())


@each(("transport", "waits"), [("nvme", 1), ("sata", 1), ("sas", 1), ("virtio", 0)])
def test_the_model_is_waited_for_where_a_drive_has_one(transport, waits):
    case = nvme(model=NO_TOOL) if transport == "nvme" else other(transport, model=NO_TOOL)
    assert (weigh(case).missing is NO_TOOL) is bool(waits)


def test_the_two_tools_that_read_nvme_s_health_stand_in_for_each_other():
    health = smart(protocol="NVMe", nvme_smart_health_information_log={"critical_warning": 0})
    assert weigh(nvme({"smart_log": NO_TOOL, "smart": health})).missing is None
    assert "critical_warning 0x00: no failure of a memory backup reported (smartctl)" in says(
        nvme({"smart_log": SILENT, "smart": health})
    )
    failed = smart(protocol="NVMe", nvme_smart_health_information_log={"critical_warning": 16})
    assert weigh(nvme({"smart_log": SILENT, "smart": failed})).verdict == "failed"
    assert weigh(nvme({"smart_log": log(16), "smart": health})).verdict == "failed"
    assert weigh(nvme({"smart": smart(protocol="NVMe", nvme_smart_health_information_log={})})).missing is None


def test_feature_six_is_asked_only_of_a_cache_that_is_not_volatile():
    assert weigh(nvme({"cache_feature": NO_TOOL})).missing is None
    assert weigh(nvme({"cache_feature": NO_TOOL, "id_ctrl": ctrl(6)})).missing is NO_TOOL
    assert weigh(nvme({"cache_feature": NO_TOOL, "id_ctrl": ctrl(6), "ocp": ocp()})).missing is None
    assert "the volatile write cache is switched off" in says(nvme({"cache_feature": feature(0)}))


def test_a_drive_that_refuses_a_log_or_has_another_s_is_not_asked_again():
    for why in (REFUSED, Unknown(Cause.NOT_EXPOSED, nvme_logs.ANOTHER_LAYOUT)):
        assert weigh(nvme({"ocp": why})).missing is None
    assert not power_loss_evidence.refused(log())
    asked = Unknown(Cause.NO_TOOL, REFUSED.learn)
    assert weigh(nvme({"ocp": asked})).missing is asked


@each(("percent", "verdict"), [(1, "failed"), (2, "proven"), (100, "proven"), (0xFFFF, "absent"), (0, "failed")])
def test_capacitors_below_two_percent_of_what_is_needed_have_failed(percent, verdict):
    assert weigh(nvme({"ocp": ocp(percent)})).verdict == verdict


def test_the_protection_s_work_is_noted():
    assert "its power-loss protection went to work 3 times (nvme ocp smart-add-log)" in says(nvme({"ocp": ocp()}))


@pytest.mark.parametrize(
    ("kind", "passed", "verdict"), [("SCSI", True, "claimed"), ("SCSI", None, "unknown"), ("ATA", True, "unknown")]
)
def test_a_claim_stands_where_what_could_overrule_it_was_read(kind, passed, verdict):
    status = {"smart_status": {"passed": passed} if passed is not None else {}}
    assert weigh(other("sas", smart=smart(protocol=kind, **status), family=family())).verdict == verdict


def test_a_drive_that_says_that_it_is_failing_is_quoted():
    failing = smart(row("Power_On_Hours"), smart_status={"passed": False})
    assert "note: the drive says that it is failing, which a lost protection can cause (smartctl)" in says(
        other(smart=failing)
    )


DATA_CENTRE = family(name="Intel/Solidigm S4500/S4600/S4510/S4610/S4520/S4620 (attr 175/235 Power_Loss_Cap_Test)")


@each(
    ("attribute", "verdict"),
    [
        (row("Power_Loss_Cap_Test", 100, 10), "proven"),
        (row("Power_Loss_Cap_Test", 99, 10), "claimed"),
        (row("Power_Loss_Cap_Test", 10, 10), "failed"),
        (row("Power_Loss_Cap_Test", 11, 10, when="now"), "failed"),
        (row("Power_Loss_Cap_Test", 100, 10, when="past"), "claimed"),
        (row("Power_Loss_Cap_Test", 100, 0), "claimed"),
        (row("Power_Loss_Cap_Test", 100, None), "unknown"),
        (row("Power_Loss_Cap_Test", None, 10), "unknown"),
    ],
)
def test_a_test_of_capacitors_counts_as_far_as_it_was_taken(attribute, verdict):
    told = smart(attribute)
    by_test = weigh(other(smart=told, family=Family(**{**family_parts(), "verdict": "unknown"})))
    assert by_test.verdict == verdict


def family_parts():
    return {name: getattr(DATA_CENTRE, name) for name in DATA_CENTRE.__struct_fields__}


def test_a_failure_that_was_counted_or_is_there_now_counts():
    assert weigh(other(smart=smart(row("Power_Fail_Uncompl_Cnt", raw=1)))).verdict == "failed"
    assert weigh(other(smart=smart(row("Power_Fail_Uncompl_Cnt", when="now")))).verdict == "failed"
    assert weigh(other(smart=smart(row("Power_Fail_Uncompl_Cnt")))).verdict == "unknown"


def test_a_failed_test_counts_unless_there_is_nothing_to_fail():
    failed = smart(row("Supercap_Status", 1, 1))
    assert weigh(other(smart=failed)).verdict == "failed"
    assert weigh(other(smart=failed, family=family("unknown"))).verdict == "failed"
    assert weigh(other(smart=failed, family=family("absent"))).verdict == "absent"


def test_a_family_that_lost_data_in_a_test_is_told_and_the_sheet_is_a_claim():
    assert "lost data after a completed flush in a published test (drive table)" in says(
        other(family=family(lossy=True))
    )
    assert "lost data" not in says(other(family=family()))
    for promised, verdict, does in ((True, "claimed", "promises"), (False, "absent", "does not promise")):
        case = other(datasheet=Known(promised, "sysfs"))
        assert weigh(case).verdict == verdict
        assert f"for {verdict}: a person read that the data sheet {does} it (sysfs)" in says(case)


def test_a_family_s_sources_are_told_where_there_are_any():
    assert "(high confidence: a sheet)" in says(other(family=family()))
    none = {**family_parts(), "sources": ()}
    assert "(high confidence)" in says(other(family=Family(**none)))


def test_the_weakest_of_all_words_is_the_one_that_promises_least():
    assert weakest(()) == "unknown"
    assert weakest(("proven", "claimed", "unknown")) == "unknown"
    assert weakest(("unknown", "partial", "absent", "failed")) == "failed"
    assert weakest(("unknown", "partial", "absent")) == "absent"
    assert weakest(("unknown", "partial")) == "partial"
    assert weakest(("proven", "claimed")) == "claimed"


def test_a_physical_drive_that_is_known_not_to_be_virtual_is_no_note():
    assert "inside" not in says(nvme(virtual=NO))
    assert "note: nothing can be proven from inside (sysfs)" in says(nvme(virtual=YES))


def test_what_the_kernel_does_with_flushes_is_noted():
    assert "note: 'write back': the kernel sends flushes (queue/write_cache)" in says(nvme())
    assert "note: 'write through': the kernel drops flushes (queue/write_cache)" in says(
        nvme(write_cache=WRITE_THROUGH)
    )


def test_a_verdict_s_source_is_all_that_was_weighed():
    told = weigh(other(family=family()))
    assert told.fact == Known("claimed", "; ".join(it.says for it in told.evidence))
    assert len(told.evidence) == 2


def test_a_cache_that_smartctl_sees_is_noted_as_it_stands():
    on, off = ({"write_cache": {"enabled": it}} for it in (True, False))
    rows = (row("Power_On_Hours"),)
    assert "note: its volatile write cache is on (smartctl)" in says(other(smart=smart(*rows, **on)))
    assert "its volatile write cache is off now, and may be switched on again" in says(other(smart=smart(*rows, **off)))
    assert "its volatile write cache" not in says(other(smart=smart(*rows)))


def test_shutdowns_that_saved_not_all_are_a_failure():
    assert weigh(nvme({"ocp": ocp(**{"Incomplete shutdowns": 1})})).verdict == "failed"
    assert weigh(nvme({"ocp": ocp(**{"Incomplete shutdowns": 0})})).verdict == "proven"


def test_what_id_ctrl_and_the_kernel_do_not_say_is_no_evidence():
    for case in (nvme({"id_ctrl": ctrl(None)}), nvme({"id_ctrl": NO_TOOL}), nvme(write_cache=NO_TOOL)):
        assert "contradict" not in says(case)
    assert "vwc" not in says(nvme({"id_ctrl": ctrl(None)}))
    assert weigh(nvme({"id_ctrl": ctrl(6)}, write_cache=NO_TOOL, family=family())).verdict == "claimed"


def test_a_log_without_a_critical_warning_speaks_neither_way():
    assert "critical_warning" not in says(nvme({"smart_log": log(None)}))
    assert weigh(nvme({"smart_log": log(None)}, family=family())).verdict == "unknown"
    assert weigh(nvme({"smart_log": log(None)})).missing is None


def test_a_reseller_s_number_settles_nothing():
    assert "note: the model is of the family Samsung PM9A3, a reseller's number that hides the family" in says(
        other(family=family("oem"))
    )


INTEL_175 = 252 << 32 | 641 << 16 | 629
"""252 tests, the last 641 minutes ago in 629 microseconds."""


@each(
    ("value", "thresh", "raw", "listing", "expected"),
    [
        (100, 10, INTEL_175, "oem", "claimed"),
        (11, 10, INTEL_175, "oem", "unknown"),
        (1, 10, INTEL_175 - 629 + 3, "oem", "unknown"),
        (100, 1, 0, "oem", "unknown"),
        (100, 10, 0, "oem", "unknown"),
        (100, 10, 7, "oem", "unknown"),
        (100, 50, INTEL_175, "oem", "unknown"),
        (100, 10, INTEL_175, "absent", "absent"),
        (100, 10, INTEL_175, "unknown", "unknown"),
    ],
)
def test_a_resellers_drive_is_claimed_by_the_layout_of_intels_capacitor_test_alone(
    value, thresh, raw, listing, expected
):
    attribute = row("Program_Fail_Count_Chip", value, thresh, raw)
    assert weigh(other(smart=smart(attribute), family=family(listing, "a number"))).verdict == expected
