"""What nvme-cli's outputs say about caches, their backup and their atomicity, whichever version printed them."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import nvme_identify, nvme_logs, nvme_output
from tests.cases import each
from tests.paths import CAPTURES, FIXTURES, needs_captures
from tests.readers.captures_nvme import nvme_parts

READERS = {
    "nvme_get_feature": nvme_output.parse_nvme_get_feature,
    "nvme_id_ctrl": nvme_identify.parse_nvme_id_ctrl,
    "nvme_id_ns": nvme_identify.parse_nvme_id_ns,
    "nvme_ocp_smart_log": nvme_logs.parse_nvme_ocp_smart_log,
    "nvme_smart_log": nvme_logs.parse_nvme_smart_log,
}
BY_OLD_AND_NEW_NAMES = (nvme_identify.id_ctrl_argv, nvme_identify.id_ns_argv, nvme_logs.smart_log_argv)


def sample(reader, case):
    text = (FIXTURES / "outputs" / reader / f"{case}.out").read_bytes().decode("utf-8", "surrogateescape")
    return READERS[reader](text)


def text_of(capture):
    return (CAPTURES / capture).read_bytes().decode("utf-8", "surrogateescape")


def id_ctrl(**fields):
    return nvme_identify.parse_nvme_id_ctrl(json.dumps({"vid": 1, "mn": "EXAMPLE"} | fields))


# The volatile write cache


@given(vwc=st.integers(0, 255))
def test_only_bit_0_of_vwc_says_that_there_is_a_volatile_write_cache(vwc):
    assert id_ctrl(vwc=vwc).volatile_write_cache is (vwc % 2 == 1)


@each("fields", [{}, {"vwc": None}, {"vwc": True}, {"vwc": -1}, {"vwc": 256}, {"vwc": "yes"}])
def test_a_vwc_that_is_missing_or_no_byte_leaves_the_cache_unknown(fields):
    assert id_ctrl(**fields).volatile_write_cache is None


def test_a_vwc_that_comes_twice_with_different_values_is_unknown():
    text = "NVME Identify Controller:\nvid : 0x1\nmn : EXAMPLE\nvwc : 0\nvwc : 0x1\n"
    assert nvme_identify.parse_nvme_id_ctrl(text).vwc is None


def test_a_text_cut_within_the_value_of_vwc_leaves_it_unknown():
    record = nvme_identify.parse_nvme_id_ctrl("NVME Identify Controller:\nvid : 0x1\nmn : EXAMPLE\nvwc : 0")
    assert record.vwc is None


def test_the_raw_structure_and_json_of_a_controller_give_the_same_numbers():
    raw, document = sample("nvme_id_ctrl", "raw"), sample("nvme_id_ctrl", "json-2.16")
    for name in nvme_identify.IdCtrl.__slots__:
        assert getattr(document, name) in (getattr(raw, name), None)


def test_a_raw_structure_with_bytes_that_are_no_utf_8_is_read():
    structure = bytearray((FIXTURES / "outputs/nvme_id_ctrl/raw.out").read_bytes())
    structure[525] = 0xFF
    assert nvme_identify.parse_nvme_id_ctrl(bytes(structure).decode("utf-8", "surrogateescape")).vwc == 0xFF


@pytest.mark.parametrize("damage", [lambda raw: raw[:4095], lambda raw: raw + "\0", lambda raw: "\0" * len(raw)])
def test_a_raw_structure_that_is_cut_long_or_empty_is_unreadable(damage):
    raw = text_of(FIXTURES / "outputs/nvme_id_ctrl/raw.out")
    assert nvme_identify.parse_nvme_id_ctrl(damage(raw)).cause is Cause.UNREADABLE


@needs_captures
def test_every_capture_s_volatile_write_cache_is_what_the_truth_table_says():
    checked = 0
    for row in csv.DictReader(text_of("truth.csv").splitlines()):
        if not row["vwc"]:
            continue
        text = text_of(row["file"])
        record = nvme_identify.parse_nvme_id_ctrl(text)
        if isinstance(record, Unknown):
            record = nvme_parts(text)["id_ctrl"]
        assert record.vwc == int(row["vwc"]), row["file"]
        assert record.volatile_write_cache is row["volatile_write_cache"].startswith("yes"), row["file"]
        checked += 1
    assert checked > 10


@needs_captures
@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("transcribed/id-ctrl_Amazon_EBS.txt", "Amazon_EBS.json"),
        ("transcribed/id-ctrl_SAMSUNG_SM951_MZVPV512HDGL.H.txt", "SAMSUNG_SM951_MZVPV512HDGL.H.json"),
        ("grantcurell/id-ctrl_Dell_P4610_3.2TB.txt", "Dell_P4610_3.2TB.json"),
        ("mailinglists/nvme_id_ctrl/SK_hynix_PC401.txt", "SK_hynix_PC401.json"),
    ],
)
def test_the_text_and_the_json_of_one_controller_give_one_record(text, document):
    assert nvme_identify.parse_nvme_id_ctrl(text_of(text)) == nvme_identify.parse_nvme_id_ctrl(
        text_of(f"derived-id-ctrl-json/{document}")
    )


@needs_captures
def test_a_captured_raw_structure_gives_what_was_derived_from_it():
    raw = nvme_identify.parse_nvme_id_ctrl(text_of("fwupd/TOSHIBA_THNSN5512GPU7.bin"))
    document = nvme_identify.parse_nvme_id_ctrl(text_of("derived-id-ctrl-json/TOSHIBA_THNSN5512GPU7.json"))
    assert (raw.mn, raw.sn, raw.volatile_write_cache) == ("THNSN5512GPU7 TOSHIBA", "37RSDEADBEEF", True)
    assert (raw.vwc, raw.wctemp_kelvin) == (document.vwc, document.wctemp_kelvin)


# Whether it is on


@each(
    ("case", "enabled"),
    [
        ("text-2.8", True),
        ("text-off-2.8", False),
        ("text-1.8", True),
        ("text-0.9", True),
        ("text-human-2.3", True),
        ("json-2.8", True),
        ("json-3.0", False),
        ("text-default", None),
    ],
)
def test_the_cache_is_on_where_bit_0_of_the_current_value_is_set(case, enabled):
    assert sample("nvme_get_feature", case).volatile_write_cache_enabled is enabled


@pytest.mark.parametrize("case", ["invalid-field-1.8", "invalid-field-3.0"])
def test_a_drive_that_refuses_the_feature_does_not_expose_it(case):
    assert sample("nvme_get_feature", case).cause is Cause.NOT_EXPOSED


def test_another_feature_says_nothing_about_the_cache():
    text = "get-feature:0x0a (Write Atomicity Normal), Current value:0x00000001\n"
    assert nvme_output.parse_nvme_get_feature(text).volatile_write_cache_enabled is None


def test_a_feature_value_that_is_cut_short_is_not_believed():
    cut = "get-feature:0x06 (Volatile Write Cache), Current value:0x000000"
    assert nvme_output.parse_nvme_get_feature(cut).cause is Cause.UNREADABLE


def test_two_drives_features_in_one_output_are_not_believed():
    line = "get-feature:0x06 (Volatile Write Cache), Current value:0x0000000{}\n"
    assert nvme_output.parse_nvme_get_feature(line.format(0) + line.format(1)).cause is Cause.UNREADABLE


# Its backup


@given(warning=st.integers(0, 255), verbose=st.booleans())
def test_a_critical_warning_is_read_bit_by_bit(warning, verbose):
    given = {"value": warning, "vmbu_failed": 0} if verbose else warning
    record = nvme_logs.parse_nvme_smart_log(json.dumps({"critical_warning": given, "unsafe_shutdowns": 3}))
    assert record.critical_warning == warning


@each("warning", [None, {}, {"value": None}, "none", 256])
def test_a_critical_warning_that_is_no_byte_leaves_the_backup_unknown(warning):
    document = json.dumps({"critical_warning": warning, "unsafe_shutdowns": 3})
    assert nvme_logs.parse_nvme_smart_log(document).critical_warning is None


@pytest.mark.parametrize("case", ["raw", "text-1.8", "json-verbose-2.16"])
def test_a_failed_backup_is_seen_in_every_form(case):
    assert sample("nvme_smart_log", case).critical_warning & 16


def test_counters_beyond_64_bits_stay_exact():
    assert sample("nvme_smart_log", "json-2.16").data_units_written == 2**128 - 1
    assert sample("nvme_smart_log", "raw").data_units_written == 2**64 + 5
    assert sample("nvme_smart_log", "raw").written_bytes == (2**64 + 5) * 512_000


def test_an_ocp_page_is_not_taken_for_a_smart_page_nor_the_other_way():
    ocp = text_of(FIXTURES / "outputs/nvme_ocp_smart_log/raw.out")
    smart = text_of(FIXTURES / "outputs/nvme_smart_log/raw.out")
    assert nvme_logs.parse_nvme_smart_log(ocp).cause is Cause.UNREADABLE
    assert nvme_logs.parse_nvme_ocp_smart_log(smart).cause is Cause.NOT_EXPOSED


def test_a_page_of_zeroes_is_no_healthy_drive():
    assert nvme_logs.parse_nvme_smart_log("\0" * 512).cause is Cause.UNREADABLE


@needs_captures
def test_floats_and_whole_numbers_of_one_drive_give_one_record():
    record = nvme_logs.parse_nvme_smart_log(text_of("netdata/nvme/v2.3/nvme-smart-log.json"))
    assert record == nvme_logs.parse_nvme_smart_log(text_of("netdata/nvme/v2.3/nvme-smart-log-float.json"))


# The OCP page


@each("case", ["json-v2-3.0", "text-2.3", "text-2.16", "raw"])
def test_every_form_of_the_ocp_page_gives_one_record(case):
    assert sample("nvme_ocp_smart_log", case) == sample("nvme_ocp_smart_log", "json-v1-2.16")


@pytest.mark.parametrize("case", ["json-wrong-guid", "raw-vendor", "unknown-guid-2.8"])
def test_a_page_without_the_ocp_guid_is_not_the_ocp_page(case):
    assert sample("nvme_ocp_smart_log", case).cause is Cause.NOT_EXPOSED


def test_a_vendor_plugin_s_output_without_a_guid_is_not_believed():
    assert isinstance(sample("nvme_ocp_smart_log", "text-vendor"), Unknown)


def test_the_tool_s_own_layout_without_the_guid_is_believed():
    assert sample("nvme_ocp_smart_log", "json-without-guid").capacitor_health is not None


def test_a_capacitor_health_of_65535_reports_no_capacitors():
    assert sample("nvme_ocp_smart_log", "json-no-capacitors").capacitor_health == nvme_logs.NO_CAPACITORS
    assert sample("nvme_ocp_smart_log", "raw").capacitor_health != nvme_logs.NO_CAPACITORS


@needs_captures
def test_a_captured_drive_s_capacitors_are_at_100_percent():
    record = nvme_logs.parse_nvme_ocp_smart_log(
        text_of("cdi-grading-tool/split/FADU_DELTA_U_2_1_92TB.ocp_smart_log.json")
    )
    assert (record.capacitor_health, record.plp_start_count) == (100, 3)


# Namespaces


@each(
    ("case", "size"),
    [
        ("json-2.16", 512),
        ("json-1.8", 4096),
        ("json-verbose-2.16", 4096),
        ("text-2.3", 512),
        ("text-human-2.8", 512),
    ],
)
def test_the_block_size_in_use_is_told_in_every_layout(case, size):
    record = sample("nvme_id_ns", case)
    assert record.lba_format_in_use.data_size_bytes == size


def test_the_format_in_use_is_numbered_by_two_parts_of_flbas():
    lbafs = [{"ms": 0, "ds": 12 if index == 17 else 9, "rp": 0} for index in range(18)]
    record = nvme_identify.parse_nvme_id_ns(json.dumps({"nsze": 1, "flbas": 0b0100001, "lbafs": lbafs}))
    assert record.lba_format_in_use.index == 17
    assert record.lba_format_in_use.data_size_bytes == 4096


def test_two_formats_marked_as_in_use_leave_the_block_size_unknown():
    lbafs = [{"lbaf": index, "ds": 9, "in_use": 1} for index in range(2)]
    assert nvme_identify.parse_nvme_id_ns(json.dumps({"nsze": 1, "flbas": 0, "lbafs": lbafs})).lba_format_in_use is None


# All of them


@each(
    ("value", "number"),
    [
        (7, 7),
        (7.0, 7),
        ("7", 7),
        ("0x10", 16),
        ("1,920,383,410,176", 1920383410176),
        ("97%", 97),
        ("5305578 (2.72 TB)", 5305578),
        ({"hi": 1, "lo": 2}, 2**64 + 2),
        ({"hi": 1}, None),
        (7.5, None),
        (1e300, None),
        (True, None),
        (-1, None),
        ("0,000000", None),
        ("1.920", None),
        ("12 bananas", None),
        ("", None),
        (None, None),
    ],
)
def test_a_number_is_read_in_each_of_nvme_cli_s_spellings_and_in_no_other(value, number):
    assert nvme_output.number(value) == number


@each(
    ("said", "cause"),
    [
        ("/dev/nvme0: Permission denied\n", Cause.DENIED),
        ('{"error":"open: Operation not permitted"}', Cause.DENIED),
        ("/dev/nvme0: No such file or directory\n", Cause.NOT_EXPOSED),
        ("NVMe status: INVALID_LOG_PAGE: The log page indicated is invalid(0x4109)\n", Cause.NOT_EXPOSED),
        ("ERROR: Invalid sub-command 'ocp'\n", Cause.NOT_EXPOSED),
        ("Allocation of memory for json object failed, aborting.\n", Cause.UNREADABLE),
        ("", Cause.UNREADABLE),
    ],
)
@each("reader", READERS.values())
def test_a_complaint_is_unknown_with_its_cause(reader, said, cause):
    assert reader(said).cause is cause


@each(
    "hostile",
    [
        "A" + " " * 300_000 + "!\n",
        "\n" * 300_000,
        "  a" + " b" * 150_000 + "\n",
        "get-feature:0x06 (Volatile Write Cache)," + " " * 300_000 + "x\n",
        "lbaf 0 : ms:0 lbads:9 rp:0" + " " * 300_000 + "x\n",
        "SMART Cloud Attributes\n  a  b" + " " * 300_000 + "c\n",
        "[" * 300_000,
        '{"Devices":' + "[" * 900 + "]" * 900 + "}",
        "x : \ud800\n",
        "\ud800\0",
    ],
)
@each("reader", READERS.values())
def test_a_hostile_text_is_read_in_time_that_grows_with_its_length(reader, hostile):
    assert isinstance(reader(hostile), Unknown)


def test_no_command_has_a_short_option():
    device = "/dev/nvme0"
    commands = [
        nvme_output.get_feature_argv(device),
        nvme_logs.ocp_smart_log_argv(device),
        *(argv(device) for argv in BY_OLD_AND_NEW_NAMES),
        *(argv(device, since_3=True) for argv in BY_OLD_AND_NEW_NAMES),
    ]
    for command in commands:
        assert command[0] == "nvme"
        assert all(word.startswith("--") for word in command if word.startswith("-"))


# Features in other words


def features(**document):
    return nvme_output.parse_nvme_get_feature(json.dumps(document))


@each("select", ["Current", "default", "SAVED", "Supported Capabilities"])
def test_each_kind_of_a_features_value_is_named(select):
    record = features(feature="0x06", **{select: "0x00000001"})
    assert (record.fid, record.select, record.value) == (6, select.lower(), 1)
    text = nvme_output.parse_nvme_get_feature(f"get-feature:0x06 (Volatile Write Cache), {select} value:0x00000001\n")
    assert text == record


def test_a_value_of_no_stated_kind_is_the_current_one_and_is_a_number_of_base_16():
    record = nvme_output.parse_nvme_get_feature("get-feature:0x1f (x), value:0x00000010\n")
    assert (record.fid, record.select, record.value) == (31, "current", 16)


def test_a_feature_without_its_number_is_the_cache_only_by_that_name():
    assert features(name="Volatile Write Cache", Current="0x1").volatile_write_cache_enabled is True
    assert features(name="Write Atomicity", Current="0x1").cause is Cause.UNREADABLE
    assert features(feature="0x0a", name="Volatile Write Cache", Current="0x1").fid == 10
    assert features(feature="x", Current="0x1").cause is Cause.UNREADABLE


def test_a_features_number_may_stand_in_the_key_in_either_case():
    record = features(**{"FEATURE: 0X06": [{"Current": "1"}, "no object"]})
    assert record.volatile_write_cache_enabled is True
    assert features(**{"feature: 0x0A": [{"Current": "1"}]}).fid == 10


def test_what_is_no_kind_of_value_is_none():
    assert (
        features(feature="0x06", Current="0x0", Other="0x1", default="not a number").volatile_write_cache_enabled
        is False
    )
