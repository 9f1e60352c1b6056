"""Recorded machines get the verdicts that were reviewed, and hold nothing that no code asks for."""

import re

import pytest
from msgspec import UNSET

from fsadvisor.facts import Known, Unknown
from fsadvisor.machine.recorded import AGAIN
from fsadvisor.report.as_json import Written, own_facts
from fsadvisor.report.model import Provenance
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.version import Version
from tests.cases import each
from tests.machines.replay import FOLDERS, GOLDEN, audit, golden

TYPES = {
    Kind.YES_NO: bool,
    Kind.WHOLE: int,
    Kind.REAL: float,
    Kind.TEXT: str,
    Kind.VERSION: Version,
    Kind.TEXTS: tuple,
}

WORDS = re.compile(r"[a-z0-9]+")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_recorded_machine_gets_the_verdicts_that_were_reviewed(folder, accepting):
    for name, text in golden(folder).items():
        kept = folder / name
        if accepting:
            kept.write_text(text)
        assert text == kept.read_text(), f"{kept}: review with --accept"


@each("folder", FOLDERS)
def test_nothing_is_recorded_that_no_code_asks_for(folder):
    machine, _, _ = audit(folder)

    assert [place for place in machine.unused() if place not in GOLDEN] == []


@each("folder", [folder for folder in FOLDERS if folder.name.startswith("lab-")])
def test_nothing_is_asked_that_the_lab_has_not_recorded(folder):
    """Else `make lab` finds other verdicts than the recording gives: record what is new there, and add it."""
    facts = (fact for it in audit(folder)[1].subjects for _, fact in own_facts(it))

    assert {fact.source for fact in facts if isinstance(fact, Unknown) and fact.sentence == AGAIN} == set()


@each("folder", FOLDERS)
def test_every_known_fact_has_the_type_that_its_field_declares(folder):
    facts = ((entry, entry.reader()(it.scope)) for it in audit(folder)[1].subjects for entry in catalogue().values())
    known = {(entry.name, fact.value) for entry, fact in facts if isinstance(fact, Known)}
    wrong = {
        (name, value)
        for name, value in known
        if type(value) is not TYPES[catalogue()[name].kind]
        or (type(value) is tuple and not all(isinstance(it, str) for it in value))
        or (catalogue()[name].choices and value not in catalogue()[name].choices)
    }
    assert wrong == set()


def test_four_machines_at_least_are_recorded():
    assert len(FOLDERS) >= 4


@each("folder", FOLDERS)
def test_what_a_report_names_for_a_subject_is_there_and_in_its_own_stack(folder):
    storage = audit(folder)[1]
    below = {it.id: it.below for it in storage.subjects}
    disks = {it.name for it in storage.subjects if it.kind == "disk"}
    written = Written(storage, Provenance(version="1", root=True), sources=True)
    for one in map(written.subject, storage.subjects):
        stack, waiting = set(), [one.id]
        while waiting:
            stack.add(at := waiting.pop())
            waiting += below[at]
        assert set({} if one.scope is UNSET else one.scope.values()) <= stack
        own = {at.partition(":")[2] for at in stack if at.startswith("disk:")}
        if own and one.kind != "layer":
            named = {it for source in one.sources for it in disks.intersection(WORDS.findall(source))}
            assert named <= own, one.id
