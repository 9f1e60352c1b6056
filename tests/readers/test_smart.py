"""smartctl, as JSON and as plain text: what the golden samples alone would not explain."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import smartctl, smartctl_text
from tests.cases import each
from tests.paths import CAPTURES, FIXTURES, needs_captures
from tests.plain import plain
from tests.readers.captures_smart import KINDS


def sample(reader, case):
    return (FIXTURES / "outputs" / reader / f"{case}.out").read_text()


def report(**members):
    """The report of a drive with a model and whatever else is given."""
    return smartctl.parse(json.dumps({"model_name": "EXAMPLE", **members}))


def test_the_command_asks_for_json_with_the_plain_text_and_without_serial_numbers():
    assert smartctl.argv("/dev/sda") == ("smartctl", "--json=o", "-q", "noserial", "-x", "/dev/sda")
    assert smartctl.argv("/dev/bus/0", "megaraid,8")[-3:] == ("-d", "megaraid,8", "/dev/bus/0")


@given(st.integers(0, 255))
def test_a_critical_warning_is_the_byte_that_the_drive_gives(value):
    assert report(nvme_smart_health_information_log={"critical_warning": value}).nvme.critical_warning == value


@pytest.mark.parametrize("value", [-1, 256])
def test_what_is_no_byte_is_no_critical_warning(value):
    assert report(nvme_smart_health_information_log={"critical_warning": value}).nvme.critical_warning is None


def test_a_drive_that_does_not_report_its_cache_has_no_cache_value():
    assert report().write_cache_enabled is None
    assert report(write_cache={"enabled": False}).write_cache_enabled is False
    assert report(write_cache={"enabled": "yes"}).write_cache_enabled is None


@pytest.mark.parametrize(("printed", "enabled"), [("Enabled", True), ("Disabled", False), ("Unavailable", None)])
def test_a_sas_drives_cache_comes_from_the_text_beside_the_json(printed, enabled):
    line = f"Writeback Cache is:   {printed}"
    assert report(smartctl={"output": [line]}).write_cache_enabled is enabled
    assert report(smartctl_0031_u=line).write_cache_enabled is enabled


def test_a_solid_state_drive_has_rotation_rate_zero_and_an_unnamed_one_none():
    assert report(rotation_rate=0).rotation_rate_rpm == 0
    assert report().rotation_rate_rpm is None


def test_a_number_beyond_53_bits_is_taken_from_its_exact_string():
    log = {"media_errors": 36893488147419103232, "media_errors_s": "36893488147419103233"}
    assert report(nvme_smart_health_information_log=log).nvme.media_errors == 36893488147419103233


def test_the_failed_backup_is_known_from_smart_status_alone():
    status = {"smart_status": {"passed": False, "nvme": {"value": 16}}}
    assert smartctl.parse(json.dumps(status)).nvme.critical_warning == 16


def test_json_and_text_of_the_same_drive_agree():
    a = plain(smartctl.parse(sample("smartctl", "ata-ssd")))
    b = plain(smartctl_text.parse(sample("smartctl_text", "ata-ssd")))
    only_in_one = {"device_name", "device_type", "attributes", "power_on_hours"}
    assert {k: v for k, v in a.items() if k not in only_in_one} == {k: v for k, v in b.items() if k not in only_in_one}


@each(
    ("said", "cause"),
    [
        ("Smartctl open device: /dev/sda failed: Permission denied", Cause.DENIED),
        ("Smartctl open device: /dev/sda [SAT] failed: Operation not permitted", Cause.DENIED),
        ("Smartctl open device: /dev/nvme0 failed: No such device", Cause.NOT_EXPOSED),
        ("/dev/vda: Unable to detect device type", Cause.NOT_EXPOSED),
        ("/dev/sdc: Unknown USB bridge [0x1234:0x5678 (0x100)]", Cause.NOT_EXPOSED),
        ("Read Device Identity failed: Input/output error", Cause.NOT_EXPOSED),
        ("Probable ATA device behind a SAT layer", Cause.NOT_EXPOSED),
        ("Segmentation fault", Cause.UNREADABLE),
    ],
)
def test_why_there_is_no_report_is_the_same_from_json_and_from_text(said, cause):
    document = {"smartctl": {"messages": [{"string": said, "severity": "error"}], "exit_status": 2}}
    for answer in (smartctl.parse(json.dumps(document)), smartctl_text.parse(f"smartctl 7.4\n\n{said}\n")):
        assert isinstance(answer, Unknown)
        assert answer.cause is cause


def test_a_report_cut_short_is_unreadable_whatever_words_it_holds():
    assert smartctl.parse('{"smartctl": {"argv": ["permission denied"').cause is Cause.UNREADABLE


def test_a_model_name_cannot_pass_for_another_line():
    text = "Device Model:     Write cache is:   Enabled\nWrite cache is:   Disabled\nWrite cache is:   Enabled\n"
    assert smartctl_text.parse(text).write_cache_enabled is False


def test_a_cache_value_that_no_version_prints_is_not_known():
    record = smartctl_text.parse("Device Model: X\nWrite cache is:   Perhaps\n")
    assert record.write_cache_enabled is None


@each("printed", ["4,000,787,030,016", "4 000 787 030 016", "4.000.787.030.016", "4’000’787’030’016"])
def test_a_capacity_is_read_whatever_the_locale_puts_between_its_digits(printed):
    record = smartctl_text.parse(f"Device Model: X\nUser Capacity: {printed} bytes [4,00 TB]\n")
    assert record.capacity_bytes == 4000787030016


CACHE = {"enabled": True, "disabled": False, "": None}
VERDICT = {"yes (ATA cache on)": True, "off": False}


def truth():
    if not CAPTURES.is_dir():
        return []
    with (CAPTURES / "truth.csv").open() as lines:
        return [row for row in csv.DictReader(lines) if row["file_kind"] in KINDS]


@needs_captures
def test_write_caches_and_models_are_those_of_the_table_of_truth():
    rows, wrong, compared = truth(), [], 0
    for row in rows:
        text = (CAPTURES / row["file"]).read_bytes().decode("utf-8", "surrogateescape")
        (record,) = KINDS[row["file_kind"]](text)
        if row["ata_write_cache"]:
            compared += 1
            assert VERDICT[row["volatile_write_cache"]] is CACHE[row["ata_write_cache"]]
        found = (getattr(record, "write_cache_enabled", "refused"), getattr(record, "model_name", "refused"))
        expected = (CACHE[row["ata_write_cache"]], row["model"])
        if found[0] is not expected[0] or " ".join((found[1] or "").split()) != " ".join(expected[1].split()):
            wrong.append(f"{row['file']}: found {found}, truth {expected}")
    assert not wrong, "\n".join(wrong)
    assert (len(rows), compared) > (300, 140)


@each(
    ("document", "mode"),
    [
        ({"smartctl": {"messages": [{"string": "Device is in STANDBY mode, exit(2)"}]}}, "STANDBY"),
        ({"smartctl": {"messages": [{"string": "Device is in STANDBY (OS) mode, exit(2)"}]}}, "STANDBY (OS)"),
        ({"smartctl": {"output": ["Device is in STANDBY BY TIMER mode, exit(2)"]}}, "STANDBY BY TIMER"),
        ({"smartctl": {"output": ["Power mode is:    ACTIVE or IDLE"]}}, "ACTIVE or IDLE"),
        ({"smartctl": {"output": ["Power mode was:   IDLE_A"]}}, "IDLE_A"),
        ({"power_mode": {"ata_value": 255, "name": "ACTIVE or IDLE"}}, "ACTIVE or IDLE"),
        ({"smartctl": {"output": ["Power mode is unknown"]}}, None),
        ({}, None),
    ],
)
def test_the_power_mode_is_read_from_every_version_of_smartctl(document, mode):
    assert smartctl.power_mode(json.dumps(document)) == mode
