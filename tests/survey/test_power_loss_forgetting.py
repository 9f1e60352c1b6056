"""Forgetting an answer never makes a drive proven or claimed: the law of the power-loss verdict."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.captures import judged, recognised
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.readers import nvme_identify, nvme_logs, nvme_output, smartctl
from fsadvisor.survey.whole import survey
from tests.cases import tries
from tests.told import BARE_METAL, disk, machine

PATH = "/dev/nvme0n1"
GUID = "0xafd514c97c6f4f9ca4f2bfea2810afc5"
RANK = {"failed": 0, "absent": 0, "partial": 0, "unknown": 0, "claimed": 1, "proven": 2}
UNREADABLE = "Segmentation fault\n"
NOT_EXPOSED = Unknown(Cause.NOT_EXPOSED, "record again")


def outputs(model, vwc, feature, warning, capacitors):
    """What the tools print of such a drive, by command line."""
    about = {"critical_warning": warning, "avail_spare": 100, "unsafe_shutdowns": 2}
    page = {"Capacitor health": capacitors, "Log page GUID": GUID}
    refused = "NVMe status: INVALID_FIELD(0x2002)\n"
    return {
        " ".join(nvme_identify.id_ctrl_argv(PATH)): json.dumps({"vid": 1, "mn": model, "sn": "S1", "vwc": vwc}),
        " ".join(nvme_logs.smart_log_argv(PATH)): json.dumps(about),
        " ".join(nvme_output.get_feature_argv(PATH)): refused
        if feature is None
        else f"get-feature:0x06 (Volatile Write Cache), Current value:{feature:#010x}\n",
        " ".join(nvme_logs.ocp_smart_log_argv(PATH)): refused if capacitors is None else json.dumps(page),
        " ".join(smartctl.argv(PATH)): json.dumps(
            {
                "smartctl": {"version": [7, 3]},
                "device": {"protocol": "NVMe"},
                "model_name": model,
                "serial_number": "S1",
            }
        ),
    }


def verdict(model, cache, told, where="pci0000:00/0000:00:01.0/nvme/nvme0", without=()):
    made = machine(disk("nvme0n1", where=where, number="259:0", cache=cache, device__model=model), commands=told)
    made.commands = dict(told)  # without the defaults of a machine: what is lost is lost
    for place in without:
        (made.links if place in made.links else made.files).pop(place, None)
    found = {subject.id: subject for subject in survey(made, {}).subjects}
    plp = found["disk:nvme0n1"].scope["disk"].plp
    return plp.value if isinstance(plp, Known) else None


FOLDER = "/sys/block/nvme0n1"
FILES = (FOLDER, f"{FOLDER}/device/model", f"{FOLDER}/queue/write_cache", f"{FOLDER}/queue/rotational")
DRIVES = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["SAMSUNG MZQL23T8HCLS-00A07", "Samsung SSD 970 PRO 1TB", "QEMU NVMe Ctrl", "NEW"]),
        "vwc": st.sampled_from([0, 1, 6, 7]),
        "feature": st.sampled_from([None, 0, 1]),
        "warning": st.sampled_from([0, 0x04, 0x10]),
        "capacitors": st.sampled_from([None, 0, 95, 0xFFFF]),
    }
)
WHERE = st.sampled_from(["pci0000:00/0000:00:01.0/nvme/nvme0", "virtual/nvme-fabrics/ctl/nvme0"])


@tries(250)
@given(
    drive=DRIVES,
    where=WHERE,
    cache=st.sampled_from(["write back", "write through"]),
    virtual=st.booleans(),
    data=st.data(),
)
def test_a_machine_that_answers_less_is_never_trusted_more(drive, where, cache, virtual, data):
    told = BARE_METAL | outputs(**drive)
    told["systemd-detect-virt --vm"] = "kvm\n" if virtual else "none\n"
    whole = verdict(drive["model"], cache, told, where)

    lost = data.draw(st.sets(st.sampled_from(sorted(told)), max_size=len(told)))
    instead = data.draw(st.sampled_from([None, UNREADABLE, NOT_EXPOSED]))
    less = {key: text for key, text in told.items() if key not in lost}
    less |= dict.fromkeys(lost, instead) if instead is not None else {}
    without = data.draw(st.sets(st.sampled_from(FILES)))
    found = verdict(drive["model"], cache, less, where, without)

    assert RANK[found or "unknown"] <= RANK[whole or "unknown"], (whole, found)


@pytest.mark.parametrize("model", ["SAMSUNG MZQL23T8HCLS-00A07", "NEW"])
def test_the_law_is_tried_on_drives_that_have_something_to_lose(model):
    told = BARE_METAL | outputs(model, 7, 1, 0, 95)
    assert verdict(model, "write back", told) == "proven"
    for lost in list(told):
        less = {key: text for key, text in told.items() if key != lost}
        assert verdict(model, "write back", less) in (None, "proven"), lost


@tries(150)
@given(drive=DRIVES, data=st.data())
def test_fewer_captured_files_never_prove_more(drive, data):
    texts = sorted(text for text in outputs(**drive).values() if recognised(text))
    envelope = json.dumps([json.loads(text) for text in texts if text.startswith("{")])
    whole = judged(recognised(f'{{"nvme": {json.dumps(json.loads(envelope))}}}'))
    kept = data.draw(st.lists(st.sampled_from(json.loads(envelope)), unique_by=json.dumps))
    for one in judged(recognised(json.dumps({"nvme": kept}))):
        assert one.plp.verdict != "proven" or any(it.plp.verdict == "proven" for it in whole)
