"""Forgetting a fact never creates advice: the law that keeps 'could not look' from becoming 'no'."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsadvisor.advise import judge
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.rulebook.rule import Outcome
from tests.machines.replay import FOLDERS, RULES, audit

EACH, IN_ALL = 15, 800
"""Random sets of facts for each machine: at least 800 over all of them."""
FORGOTTEN = Unknown(Cause.NOT_EXPOSED, "remember it")
ASKED = {
    rule.id: {name for ask in (*rule.applies, *rule.checks, *rule.safety) for name in ask.expression.names}
    for rule in RULES
}
"""The facts that a rule's answer can depend on: its expressions read no others."""
MACHINES = {folder.name: folder for folder in FOLDERS}


def known_facts(storage):
    """Every (facts object, field name) of a machine that has a value; objects are shared between subjects."""
    objects = {id(facts): facts for subject in storage.subjects for facts in subject.scope.values()}
    return [
        (key, field.name)
        for key, facts in objects.items()
        for field in dataclasses.fields(facts)
        if isinstance(getattr(facts, field.name), Known)
    ]


def advice(storage, forgotten=frozenset()):
    """The (rule, subject) pairs that are advised when these facts are not known.

    Where some are forgotten, of those rules alone that ask for one of them: nothing changes for the others.
    """
    names = {}
    for key, name in forgotten:
        names.setdefault(key, []).append(name)
    touched = {}
    found = set()
    for subject in storage.subjects:
        scope = {}
        for space, facts in subject.scope.items():
            if id(facts) in names and id(facts) not in touched:
                touched[id(facts)] = dataclasses.replace(facts, **dict.fromkeys(names[id(facts)], FORGOTTEN))
            scope[space] = touched.get(id(facts), facts)
        seen = dataclasses.replace(subject, scope=scope)
        gone = {f"{space}.{name}" for space, facts in subject.scope.items() for name in names.get(id(facts), ())}
        found |= {
            (rule.id, subject.id)
            for rule in RULES
            if rule.subject == subject.kind
            and (not forgotten or gone & ASKED[rule.id])
            and judge(rule, seen).outcome is Outcome.ADVISE
        }
    return found


@pytest.mark.parametrize("name", MACHINES)
def test_forgetting_any_one_fact_creates_no_advice(name):
    _, storage, _ = audit(MACHINES[name])
    all_advice = advice(storage)

    for fact in known_facts(storage):
        assert advice(storage, {fact}) <= all_advice, fact[1]


@pytest.mark.parametrize("name", MACHINES)
@settings(max_examples=EACH, deadline=None)
@given(data=st.data())
def test_forgetting_any_set_of_facts_creates_no_advice(name, data):
    _, storage, _ = audit(MACHINES[name])
    facts = known_facts(storage)
    forgotten = data.draw(st.sets(st.sampled_from(facts), max_size=len(facts)))

    assert advice(storage, forgotten) <= advice(storage)


def test_there_are_enough_random_sets_over_all_machines():
    assert EACH * len(MACHINES) >= IN_ALL


def test_the_recorded_machines_give_advice_that_could_be_lost():
    assert any(advice(audit(folder)[1]) for folder in MACHINES.values())
