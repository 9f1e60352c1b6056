"""Captured outputs are known by their content, and those of one drive come together."""

import json

from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.captures import judged, recognised
from tests.cases import each
from tests.paths import FIXTURES

OUTPUTS = FIXTURES / "outputs"
ID_CTRL = {"vid": 5197, "mn": "SAMSUNG MZQL23T8HCLS-00A07  ", "sn": "S1", "vwc": 7}
HEALTHY = {"critical_warning": 0, "avail_spare": 100, "unsafe_shutdowns": 3}
GUID = "0xafd514c97c6f4f9ca4f2bfea2810afc5"
OCP = {"Capacitor health": 98, "PLP start count": 3, "Log page version": 2, "Log page GUID": GUID}
SMARTCTL = {
    "json_format_version": [1, 0],
    "smartctl": {"version": [7, 4], "exit_status": 0},
    "device": {"protocol": "NVMe", "type": "nvme"},
    "model_name": "SAMSUNG MZQL23T8HCLS-00A07",
    "serial_number": "S1",
    "nvme_smart_health_information_log": {"critical_warning": 0, "unsafe_shutdowns": 3},
}


def drives(*documents):
    texts = [one if isinstance(one, str) else json.dumps(one) for one in documents]
    return judged(parts for text in texts for parts in recognised(text))


def verdicts(*documents):
    return [one.plp.verdict for one in drives(*documents)]


@each(
    ("reader", "case"),
    [
        ("nvme_id_ctrl", "text"),
        ("nvme_smart_log", "text"),
        ("nvme_ocp_smart_log", "text"),
        ("nvme_ocp_smart_log", "raw"),
        ("nvme_get_feature", "text"),
        ("smartctl_text", ""),
        ("smartctl", ""),
    ],
)
def test_each_kind_of_output_is_known_by_its_content(reader, case):
    texts = [path.read_bytes().decode("utf-8", "surrogateescape") for path in (OUTPUTS / reader).glob(f"{case}*.out")]
    assert any(len(recognised(text)) == 1 for text in texts)


def test_an_envelope_of_one_drives_outputs_is_one_drive():
    (one,) = drives({**SMARTCTL, "nvme_cli": {"id_ctrl": ID_CTRL, "smart_log": HEALTHY, "ocp_smart_log": OCP}})
    assert (one.model, one.volatile_cache, one.plp.verdict) == ("SAMSUNG MZQL23T8HCLS-00A07", True, "proven")


def test_an_envelope_of_two_drives_keeps_them_apart():
    other = {"id_ctrl": {**ID_CTRL, "sn": "S2"}, "smart_log": {**HEALTHY, "critical_warning": 16}}
    envelope = {"nvme0": {"id_ctrl": ID_CTRL, "smart_log": HEALTHY, "ocp": OCP}, "nvme1": other}
    assert verdicts(envelope) == ["proven", "failed"]


def test_documents_one_after_another_in_a_text_are_read_and_joined():
    text = "\n".join(f"$ nvme something\n{json.dumps(one, indent=2)}" for one in (ID_CTRL, HEALTHY, OCP))
    assert verdicts(text) == ["proven"]


def test_files_that_name_one_drive_are_joined_and_others_stand_alone():
    assert verdicts(ID_CTRL, SMARTCTL, OCP) == ["claimed", "unknown"]
    assert verdicts(ID_CTRL, {**SMARTCTL, "serial_number": "S2"}) == ["unknown", "claimed"]


@each("serial", ["REDACTED", "[REMOVED]", "XXXXXXXX", "--", "00000000", "S6XXXXXX"])
def test_files_of_one_model_whose_serial_numbers_were_taken_out_are_not_taken_for_one_drive(serial):
    proven = {"id_ctrl": {**ID_CTRL, "sn": serial}, "smart_log": HEALTHY, "ocp": OCP}
    assert verdicts(proven, {**SMARTCTL, "serial_number": serial}) == ["proven", "claimed"]


def test_an_output_that_names_no_drive_is_not_given_to_one_of_several():
    text = "\n".join(map(json.dumps, (ID_CTRL, {**ID_CTRL, "sn": "S2"}, HEALTHY)))
    assert [one.model for one in drives(text)] == ["SAMSUNG MZQL23T8HCLS-00A07"] * 2 + [None]


def test_of_two_captures_of_one_drive_the_worse_counts():
    failed = {**SMARTCTL, "nvme_smart_health_information_log": {"critical_warning": 16, "unsafe_shutdowns": 4}}
    assert verdicts(SMARTCTL, failed) == verdicts(failed, SMARTCTL) == ["failed"]


@each(
    ("vwc", "feature", "expected"),
    [
        (0, None, False),
        (4, None, False),
        (6, None, False),
        (1, None, True),
        (7, None, True),
        (7, 0, False),
        (6, 1, None),
    ],
)
def test_the_volatile_cache_is_bit_0_and_what_feature_6_says_of_it(vwc, feature, expected):
    text = json.dumps({**ID_CTRL, "vwc": vwc})
    if feature is not None:
        text = f"get-feature:0x06 (Volatile Write Cache), Current value:{feature:#010x}\n" + "".join(
            f"{key} : {value}\n" for key, value in {**ID_CTRL, "vwc": vwc}.items()
        )
    (one,) = drives(text)
    assert one.volatile_cache is expected


def test_a_page_with_another_guid_is_no_word_on_capacitors():
    (one,) = drives({"id_ctrl": ID_CTRL, "smart_log": HEALTHY, "ocp": {**OCP, "Log page GUID": "0x1234"}})
    assert one.plp.verdict == "claimed"


def test_a_virtual_disk_and_a_raid_volume_are_not_judged_as_drives():
    assert verdicts({**ID_CTRL, "mn": "Amazon Elastic Block Store", "vwc": 0}) == ["unknown"]
    volume = {"smartctl": {}, "device": {"protocol": "SCSI"}, "scsi_vendor": "DELL", "scsi_product": "PERC H740P"}
    (one,) = drives({**volume, "scsi_model_name": "DELL PERC H740P", "smart_status": {"passed": True}})
    assert one.plp.verdict == "unknown"
    assert any("perccli64" in step for step in one.plp.steps)


def test_a_drive_behind_a_usb_bridge_is_never_proven():
    bridged = {**SMARTCTL, "device": {"protocol": "NVMe", "type": "sntjmicron"}}
    assert verdicts({**bridged, "nvme_cli": {"id_ctrl": ID_CTRL, "smart_log": HEALTHY, "ocp": OCP}}) == ["unknown"]


@each("text", ["", "{", "[]", "{}", "hello", '{"devices": []}', "[" * 100_000, '{"a":' * 5000, "\0" * 99])
def test_what_is_no_drives_output_gives_no_drive(text):
    assert recognised(text) == []


@given(st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_any_text_is_read_without_an_exception(text):
    judged(recognised(text))


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    ["vid", "mn", "vwc", "smartctl", "critical_warning", "unsafe_shutdowns", "passed", "nvme"]
                ),
                inner,
            )
        ),
        max_leaves=20,
    )
)
def test_any_document_is_read_without_an_exception(document):
    judged(recognised(json.dumps(document)))
