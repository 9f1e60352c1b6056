"""One drive has one verdict: by `fsadvisor drive FILE`, on its machine, and by a recording of that machine."""

import json

import pytest

from fsadvisor.captures import judged, recognised
from fsadvisor.facts import Known
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.readers import nvme_identify, nvme_logs, nvme_output, smartctl
from fsadvisor.readers.smartctl import SmartReport
from fsadvisor.survey.whole import survey
from tests.paths import CAPTURES, needs_captures
from tests.told import BARE_METAL, disk, machine

SATA = ("sda", "8:0", "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0")
SAS = ("sda", "8:0", "pci0000:00/0000:00:1f.2/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0")
NVME = ("nvme0n1", "259:0", "pci0000:00/0000:00:01.0/nvme/nvme0")
PLACES = {"ATA": SATA, "SCSI": SAS, "NVMe": NVME}
GUID = "0xafd514c97c6f4f9ca4f2bfea2810afc5"
REFUSED = "NVMe status: INVALID_FIELD(0x2002)\n"


def on_hardware(place, model, outputs, rotational=False, cache="write back"):
    """A machine with this one drive, which answers what was captured."""
    name, number, where = place
    own = f"{model:16.16}" if place is SATA else model
    names = {"device__model": own, "device__vendor": "ATA" if place is SATA else "SEAGATE"}
    told = disk(name, where, number, cache, queue__rotational=str(int(rotational)), **names)
    return machine(told, commands=BARE_METAL | {" ".join(argv): text for argv, text in outputs.items()})


def verdict(made):
    (plp,) = (it.scope["disk"].plp for it in survey(made, {}).subjects if it.kind == "disk")
    return plp.value if isinstance(plp, Known) else "not known yet"


def by_all_ways(made, outputs, folder):
    """The verdicts by drive, live and by a recording."""
    (by_file,) = judged(parts for text in outputs.values() for parts in recognised(text))
    recording = RecordingMachine(made)
    survey(recording, {})
    recording.write(folder)
    return by_file.plp.verdict, verdict(made), verdict(RecordedMachine(folder))


@pytest.mark.parametrize(
    ("model", "attribute", "expected"),
    [
        ("INTEL SSDSC2KB480G8", ("Power_Loss_Cap_Test", 100, 10, 0), "proven"),
        ("INTEL SSDSC2KB480G8", ("Power_Loss_Cap_Test", 1, 10, 0), "failed"),
        ("KINGSTON SA400S37480G", ("Power_Fail_Health", 100, 50, 0), "absent"),
        ("KINGSTON SEDC500M1920G", ("Power_Fail_Uncompl_Cnt", 100, 0, 0), "claimed"),
        ("Samsung SSD 870 EVO 1TB", ("Power_Loss_Cap_Test", 100, 10, 0), "unknown"),
        ("CT1000MX500SSD1", ("Reallocated_Sector_Ct", 100, 10, 0), "partial"),
    ],
)
def test_a_sata_drive_has_one_verdict(model, attribute, expected, tmp_path):
    name, value, thresh, raw = attribute
    row = {"id": 1, "name": name, "value": value, "worst": value, "thresh": thresh, "when_failed": ""}
    said = json.dumps(
        {
            "smartctl": {"version": [7, 4], "exit_status": 0},
            "device": {"protocol": "ATA", "type": "sat"},
            "model_name": model,
            "serial_number": "S1",
            "ata_smart_attributes": {"table": [row | {"raw": {"value": raw, "string": str(raw)}}]},
        }
    )
    outputs = {smartctl.argv("/dev/sda"): said}
    assert by_all_ways(on_hardware(SATA, model, outputs), outputs, tmp_path / "r") == (expected,) * 3


@pytest.mark.parametrize(
    ("model", "vwc", "warning", "capacitors", "expected"),
    [
        ("SAMSUNG MZQL23T8HCLS-00A07", 7, 0, 95, "proven"),
        ("SAMSUNG MZQL23T8HCLS-00A07", 6, 0, 95, "proven"),
        ("SAMSUNG MZQL23T8HCLS-00A07", 7, 0, None, "claimed"),
        ("SAMSUNG MZQL23T8HCLS-00A07", 7, 16, 95, "failed"),
        ("SAMSUNG MZQL23T8HCLS-00A07", 7, 0, 0xFFFF, "absent"),
        ("Samsung SSD 970 PRO 1TB", 7, 0, 95, "unknown"),
        ("NEW", 6, 0, None, "claimed"),
        ("QEMU NVMe Ctrl", 6, 0, 95, "unknown"),
    ],
)
def test_an_nvme_drive_has_one_verdict(model, vwc, warning, capacitors, expected, tmp_path):
    path = "/dev/nvme0n1"
    page = {"Capacitor health": capacitors, "Log page GUID": GUID}
    outputs = {
        nvme_identify.id_ctrl_argv(path): json.dumps({"vid": 1, "mn": model, "sn": "S1", "vwc": vwc}),
        nvme_logs.smart_log_argv(path): json.dumps({"critical_warning": warning, "avail_spare": 100}),
        nvme_output.get_feature_argv(path): "get-feature:0x06 (Volatile Write Cache), Current value:0x00000001\n"
        if vwc & 1
        else REFUSED,
        nvme_logs.ocp_smart_log_argv(path): REFUSED if capacitors is None else json.dumps(page),
        smartctl.argv(path): json.dumps(
            {
                "smartctl": {"version": [7, 4], "exit_status": 0},
                "device": {"protocol": "NVMe", "type": "nvme"},
                "model_name": model,
                "serial_number": "S1",
                "nvme_smart_health_information_log": {"critical_warning": warning},
            }
        ),
    }
    made = on_hardware(NVME, model, outputs, cache="write back" if vwc & 1 else "write through")
    text = {"all": "\n".join(it for it in outputs.values() if it.startswith("{"))}
    assert by_all_ways(made, text, tmp_path / "r") == (expected,) * 3


def smart_captures():
    """The real captures that are one drive's `smartctl --json`, and its record."""
    for file in sorted(CAPTURES.rglob("*")):
        text = file.read_bytes().decode("utf-8", "surrogateescape") if file.is_file() else ""
        found = recognised(text) if text.startswith("{") and len(text) < 1 << 20 else []
        records = [it for parts in found for it in parts.records]
        if len(found) == len(records) == 1 and isinstance(records[0], SmartReport) and found[0].model:
            yield file, text, records[0]


def of_device(path, text):
    """A capture as smartctl prints it for that device: an answer for another one is believed of none."""
    report = json.loads(text)
    if "name" in report.get("device", {}):
        report["device"]["name"] = path
    return json.dumps(report)


@pytest.mark.long
@needs_captures
def test_real_drives_have_one_verdict_on_their_machine_and_by_their_files():
    compared = 0
    for file, text, smart in smart_captures():
        place = PLACES.get(smart.protocol)
        if place is None or smart.scsi_vendor or (smart.device_type or "").startswith(("usb", "snt", "megaraid")):
            continue
        answers = {smartctl.argv(f"/dev/{place[0]}"): of_device(f"/dev/{place[0]}", text)}
        live = verdict(on_hardware(place, smart.model_name, answers, rotational=bool(smart.rotation_rate_rpm)))
        (by_file,) = judged(recognised(text))
        compared += live != "not known yet"
        assert live in ("not known yet", by_file.plp.verdict), file
        assert live != "not known yet" or by_file.plp.verdict != "proven", file
    assert compared > 80
