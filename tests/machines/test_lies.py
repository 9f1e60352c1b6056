"""Every source of every recorded machine with every lie, and every family of drives with tools that lie about it."""

import json
import re

import pytest
from hypothesis import Phase, settings
from hypothesis import find as an_example
from hypothesis import strategies as st

from fsadvisor.drives import families
from fsadvisor.facts import Known, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.readers import nvme_identify, nvme_logs, nvme_output, smartctl
from fsadvisor.survey.whole import survey
from tests.told import BARE_METAL, disk, machine
from tools.fuzz.lies import every, lies
from tools.fuzz.mutations import MACHINES
from tools.fuzz.remembered import Remembered

PATH = "/dev/nvme0n1"
ANY = settings(phases=[Phase.generate], max_examples=50, database=None, derandomize=True)
STRENGTH = ("claimed", "proven")
GUID = "0xafd514c97c6f4f9ca4f2bfea2810afc5"


@pytest.mark.long
def test_no_lie_makes_a_machine_safer_and_of_100_that_take_a_fact_95_are_named():
    told = [(folder.name, it) for folder in MACHINES for it in every(folder)]
    assert [(name, it.source, it.lie, it.laws) for name, it in told if it.laws] == []
    lost = [(name, it) for name, it in told if it.lost]
    unnamed = [(name, it.source, it.lie, it.unnamed[0]) for name, it in lost if it.unnamed]
    assert len(unnamed) <= 0.05 * len(lost), unnamed


def drive(model):
    """A drive that proves its protection: capacitors, and no volatile cache."""
    page = {"Capacitor health": 95, "Log page version": 2, "Log page GUID": GUID}
    health = {"critical_warning": 0, "avail_spare": 100, "spare_thresh": 10, "unsafe_shutdowns": 2}
    smart = {
        "smartctl": {"version": [7, 3], "exit_status": 0},
        "device": {"name": PATH, "protocol": "NVMe"},
        "model_name": model,
        "smart_status": {"passed": True},
    }
    told = BARE_METAL | {
        " ".join(nvme_identify.id_ctrl_argv(PATH)): json.dumps({"vid": 1, "mn": model, "vwc": 6}),
        " ".join(nvme_logs.smart_log_argv(PATH)): json.dumps(health),
        " ".join(nvme_output.get_feature_argv(PATH)): "NVMe status: INVALID_FIELD(0x2002)\n",
        " ".join(nvme_logs.ocp_smart_log_argv(PATH)): json.dumps(page),
        " ".join(smartctl.argv(PATH)): json.dumps(smart),
    }
    where = "pci0000:00/0000:00:01.0/nvme/nvme0"
    shown = disk("nvme0n1", where=where, number="259:0", cache="write through", device__model=model)
    return Remembered(machine(shown, commands=told))


def protection(asked):
    disks = [it.scope["disk"] for it in survey(asked, {}).subjects if it.kind == "disk"]
    return disks[0].plp if disks else Unknown


def strength(plp):
    return STRENGTH.index(plp.value) + 1 if isinstance(plp, Known) and plp.value in STRENGTH else 0


@pytest.mark.long
@pytest.mark.parametrize("family", families(), ids=lambda it: it.name)
def test_no_lie_of_a_tool_makes_the_protection_of_a_family_stronger(family):
    pattern = re.compile(family.model.pattern, re.ASCII)
    names = st.from_regex(pattern, alphabet=st.characters(min_codepoint=32, max_codepoint=126))
    model = an_example(names, lambda it: it == it.strip(), settings=ANY)
    honest = drive(model)
    before = strength(protection(honest))
    for question, said in list(honest.said.items()):
        if question[0] in ("run", "udev") and isinstance(said, Reply):
            for how, lie in lies(question, said, honest):
                assert strength(protection(honest.but({question: lie}))) <= before, (how, question, model)


def test_a_drive_whose_health_log_lies_is_not_proven():
    """The law can fail: with the drive's own warning it is no longer protected, and a healthy answer makes it so."""
    healthy = drive("SAMSUNG MZQL23T8HCLS-00A07")
    assert protection(healthy).value == "proven"
    question, said = next(
        (it, said) for it, said in healthy.said.items() if it[:2] == ("run", "nvme") and "smart-log" in it
    )
    sick = Reply(said.text.replace('"critical_warning": 0', '"critical_warning": 16'), said.source)
    assert protection(healthy.but({question: sick})).value == "failed"
