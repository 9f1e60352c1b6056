"""Recorded machines that tell less: no unsafe verdict becomes safe, nothing new is advised, for every rule.

`make long` tries every single answer of every machine, lost in each way; `make fuzz` goes on with several at once.
"""

from random import Random

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey.whole import survey
from tests.cases import each, few
from tools.fuzz.mutations import MACHINES, Mutant, broken, judged, several, single, whole

SEED = 20261123
GONE = Unknown(Cause.NOT_EXPOSED, "capture again", "forgotten")
BY_NAME = {folder.name: folder for folder in MACHINES}


@pytest.mark.long
@pytest.mark.parametrize("name", BY_NAME)
def test_no_single_answer_that_is_lost_or_damaged_makes_a_machine_safer(name):
    for mutant in single(BY_NAME[name], Random(SEED)):
        assert broken(mutant) == [], mutant


@pytest.mark.parametrize("name", few(BY_NAME, 10))
def test_no_answers_that_are_lost_together_make_a_machine_safer(name):
    random = Random(SEED)
    for _ in range(10):
        mutant = several(BY_NAME[name], random)
        assert broken(mutant) == [], mutant


@each(
    ("machine", "question"),
    [
        ("lab-nvme-4k", ("read", "/sys/block/nvme0n1/device/model")),
        ("lab-multipath", ("entries", "/sys/block/dm-0/slaves")),
        ("lab-multipath", ("entries", "/sys/block/dm-0")),
        ("lab-paths-not-joined", ("entries", "/sys/block/sda/slaves")),
        ("lab-paths-not-joined", ("link", "/sys/block/sda")),
        ("lab-raid5-degraded", ("entries", "/sys/block/md0")),
        ("pm9a3-postgresql-volatile", ("read", "/proc/self/mountinfo")),
    ],
)
def test_answers_whose_loss_once_made_a_machine_safer(machine, question):
    assert question in whole(BY_NAME[machine])[0].said or "md" in question[1]
    assert broken(Mutant(machine, "gone", {question: GONE}, forgets=True)) == []


def test_a_report_of_smartctl_that_names_another_disk_is_no_answer():
    machine, before = whole(BY_NAME["old-storage-server"])
    asked, other = (
        next(it for it in machine.said if it[:2] == ("run", "smartctl") and it[-1] == disk)
        for disk in ("/dev/sdb", "/dev/sdc")
    )
    found = judged(machine.but({asked: machine.said[other]}))
    assert before["drive-failing", "disk:sdb"].outcome is Outcome.ADVISE
    assert found["drive-failing", "disk:sdb"].outcome is Outcome.UNDETERMINED
    unknown = found["drive-failing", "disk:sdb"].to_learn().values()
    assert any("answers for /dev/sdc instead of /dev/sdb" in fact.learn for fact in unknown)


@pytest.mark.parametrize(
    ("machine", "asked", "old", "new", "told"),
    [
        (
            "lab-nvme-4k",
            ("run", "nvme", "id-ctrl"),
            "QEMU NVMe Ctrl",
            "SAMSUNG MZQL23T8HCLS-00A07",
            "nvme id-ctrl answers for SAMSUNG MZQL23T8HCLS-00A07 instead of QEMU NVMe Ctrl",
        ),
        (
            "lab-nvme-4k",
            ("run", "xfs_info"),
            "/dev/nvme0n1",
            "/dev/sdb",
            "xfs_info answers for /dev/sdb instead of /dev/nvme0n1",
        ),
    ],
)
def test_an_answer_that_names_another_device_is_none(machine, asked, old, new, told):
    found = whole(BY_NAME[machine])[0]
    question, said = next((it, said) for it, said in found.said.items() if it[: len(asked)] == asked)
    assert old in said.text
    lie = type(said)(said.text.replace(old, new), said.source, said.status)
    assert any(told in fact.learn for fact in unknown_facts(found.but({question: lie})))


def test_a_tool_that_was_killed_has_said_nothing():
    found = whole(BY_NAME["lab-nvme-4k"])[0]
    question, said = next((it, said) for it, said in found.said.items() if it[:3] == ("run", "nvme", "id-ctrl"))
    killed = found.but({question: type(said)(said.text, said.source, -11)})
    assert any("find out what killed it (signal 11)" in fact.learn for fact in unknown_facts(killed))


def unknown_facts(machine):
    records = [record for subject in survey(machine, {}).subjects for record in subject.scope.values()]
    facts = [getattr(record, name) for record in records for name in record.__struct_fields__]
    return [fact for fact in facts if isinstance(fact, Unknown)]


def test_the_laws_see_a_risk_that_falls_silent():
    """A machine whose mount table says less of its options than it did: no forgetting, and so a broken law."""
    machine, _ = whole(BY_NAME["ext4-nobarrier"])
    places = [it for it, said in machine.said.items() if "nobarrier" in str(getattr(said, "text", ""))]
    silent = {it: without(machine.said[it]) for it in places}
    assert any("advise -> " in law for law in broken(Mutant("ext4-nobarrier", "lied", silent, forgets=True)))


def without(said):
    return type(said)(said.text.replace("nobarrier", "barrier"), said.source, said.status)
