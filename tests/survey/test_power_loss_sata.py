"""Power-loss protection of drives that answer smartctl: by the names of their attributes, never by ids."""

import json

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import smartctl
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import BARE_METAL, disk, machine

ASK = " ".join(smartctl.argv("/dev/sda"))
DATA_CENTRE, CLIENT = "INTEL SSDSC2KB480G8", "Samsung SSD 870 EVO 1TB"
SAMSUNG, HPE = "SAMSUNG MZ7KM480HAHP-00005", "VK000480GWSXF"


def row(name, value=100, thresh=0, raw=0, number=175, when=""):
    return {
        "id": number,
        "name": name,
        "value": value,
        "worst": value,
        "thresh": thresh,
        "when_failed": when,
        "raw": {"value": raw, "string": str(raw)},
    }


def report(*rows, model="X 480", **more):
    return json.dumps(
        {
            "smartctl": {"version": [7, 3], "exit_status": 0},
            "device": {"protocol": "ATA", "type": "sat"},
            "model_name": model,
            "ata_smart_attributes": {"table": [row("Power_On_Hours", number=9), *rows]},
            **more,
        }
    )


def seen(output, **more):
    commands = BARE_METAL | ({ASK: output} if output else {})
    made = machine(disk("sda", **more), commands=commands)
    return next(it.scope["disk"] for it in survey(made, {}).subjects if it.id == "disk:sda")


@each(
    ("attribute", "verdict"),
    [
        (row("Power_Loss_Cap_Test", 100, 10), "claimed"),
        (row("Power_Loss_Cap_Test", 10, 10), "failed"),
        (row("Power_Loss_Cap_Test", 1, 10), "failed"),
        (row("Power_Loss_Cap_Test", 100, 10, when="now"), "failed"),
        (row("Power_Loss_Cap_Test", 100, 10, when="past"), "claimed"),
        (row("Supercap_Status", 100, 1, number=201), "unknown"),
        (row("Supercap_Status", 1, 1, number=201), "failed"),
        (row("Power_Fail_Health", 100, 50, number=195), "unknown"),
        (row("SuperCap_Health", 100, 2, number=235), "unknown"),
        (row("Power_Fail_Uncompl_Cnt", raw=0, number=193), "unknown"),
        (row("Capacitor_Health", 100, 0, number=235), "claimed"),
        (row("PLP_Failure", raw=0), "claimed"),
        (row("PLP_Failure", raw=1), "failed"),
        (row("PwrLoss_ProtectionFail", raw=7), "failed"),
        (row("Power_Fail_Uncompl_Cnt", raw=2, number=193), "failed"),
        (row("Program_Fail_Count_Chip", 100, 10), "unknown"),
        (row("Unexpect_Power_Loss_Ct", 100, 10, number=174), "unknown"),
        (row("POR_Recovery_Count", 99, 0, raw=40, number=235), "unknown"),
    ],
)
def test_attributes_speak_by_their_names(attribute, verdict):
    assert seen(report(attribute)).plp.value == verdict


def test_a_model_alone_is_a_claim_and_never_a_proof():
    assert seen(report(model=DATA_CENTRE)).plp.value == "claimed"
    assert seen(report(model=CLIENT)).plp.value == "absent"
    assert seen(report(model="CT1000MX500SSD1")).plp.value == "partial"


def test_a_claim_needs_the_attributes_that_could_deny_it():
    bare = json.dumps({"smartctl": {"version": [7, 3]}, "device": {"protocol": "ATA"}, "model_name": DATA_CENTRE})
    assert seen(bare).plp.value == "unknown"


def test_a_drive_that_could_not_be_asked_has_no_verdict_yet():
    found = seen(None, device__model=DATA_CENTRE)
    assert isinstance(found.plp, Unknown)
    assert found.plp.cause is Cause.NO_TOOL
    assert any("smartctl" in step for step in found.plp_settle.value)


@each(
    ("model", "attribute", "expected"),
    [
        (DATA_CENTRE, row("Power_Loss_Cap_Test", 100, 10), "proven"),
        (DATA_CENTRE, row("Power_Loss_Cap_Test", 11, 10), "claimed"),  # too hot to count
        (DATA_CENTRE, row("PLP_Tests_Min_Us", 100, 10), "proven"),
        (SAMSUNG, row("Supercap_Status", 100, 1), "proven"),
        (HPE, row("Power_Loss_Cap_Test", 100, 10), "proven"),
        (HPE, row("Supercap_Status", 100, 1), "claimed"),  # by its family: the name is another maker's
        (CLIENT, row("Power_Loss_Cap_Test", 100, 10), "unknown"),
        (CLIENT, row("Supercap_Status", 100, 1), "absent"),
        ("KINGSTON SA400S37480G", row("Power_Fail_Health", 100, 50), "absent"),
        ("KINGSTON SA400S37480G", row("Power_Fail_Uncompl_Cnt", raw=3), "absent"),
        ("KINGSTON SEDC450R480G", row("Power_Fail_Health", 100, 0), "absent"),
        ("KINGSTON SEDC500M1920G", row("Power_Fail_Health", 100, 50), "claimed"),
        ("PNY CS900 240GB SSD", row("Power_Fail_Health", 100, 50), "absent"),
        ("Patriot Burst", row("Power_Fail_Health", 100, 50), "absent"),
    ],
)
def test_a_test_counts_only_for_families_of_which_its_name_means_a_capacitor(model, attribute, expected):
    found = seen(report(attribute, model=model))
    assert found.plp.value == expected
    assert any(attribute["name"] in line for line in found.plp_evidence.value)


def test_a_test_that_contradicts_the_family_is_shown_with_it():
    told = seen(report(row("Power_Loss_Cap_Test", 100, 10), model=CLIENT)).plp_evidence.value
    assert any("for claimed" in line for line in told)
    assert any("for absent" in line for line in told)


def test_a_counter_without_a_test_against_the_family_leaves_it_open():
    assert seen(report(row("PLP_Failure", raw=0), model=CLIENT)).plp.value == "unknown"


@pytest.mark.parametrize("how", [{"queue__rotational": "1"}, {}])
def test_a_hard_disk_has_no_protection(how):
    rotation = {} if how else {"rotation_rate": 7200}
    assert seen(report(model="ST4000NM0033", **rotation), **how).plp.value == "absent"


OF_PLATTERS = [row("Spin_Up_Time"), row("Seek_Error_Rate"), row("Spin_Retry_Count")]


@pytest.mark.parametrize(
    ("rows", "more", "verdict"),
    [
        (OF_PLATTERS, {}, "absent"),
        (OF_PLATTERS[:2], {}, "unknown"),
        (OF_PLATTERS, {"rotation_rate": 0}, "unknown"),
    ],
)
def test_an_old_hard_disk_tells_by_what_it_counts_that_it_spins(rows, more, verdict):
    assert seen(report(*rows, model="WD2002FAEX", **more), queue__rotational="0").plp.value == verdict


def test_behind_a_usb_bridge_nothing_is_proven():
    usb = "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0"
    found = seen(report(row("Power_Loss_Cap_Test", 100, 10), model=DATA_CENTRE), where=usb)
    assert found.plp.value == "unknown"
    assert any("bridge" in step for step in found.plp_settle.value)


def test_drives_of_a_family_that_lost_flushed_data_are_told_from_others():
    assert seen(report(), device__model="Sabrent Rocket").known_lossy.value is True
    assert seen(report(), device__model=DATA_CENTRE).known_lossy.value is False
