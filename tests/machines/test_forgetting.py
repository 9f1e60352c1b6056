"""Forgetting a fact never creates advice: the law that keeps 'could not look' from becoming 'no'."""

import functools
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.rule import Outcome
from tests.cases import few, tries
from tests.machines.replay import FOLDERS, RULES, audit

EACH = 15
"""Random sets of facts for each machine, of which `make long` tries more."""
SAFE = (Outcome.OK, Outcome.NOT_APPLICABLE)
FORGOTTEN = Unknown(Cause.NOT_EXPOSED, "remember it")
ASKED = {
    rule.id: {name for ask in (*rule.applies, *rule.checks, *rule.safety) for name in ask.expression.names}
    for rule in RULES
}
"""The facts that a rule's answer can depend on: its expressions read no others."""
BY_KIND = {kind: [rule for rule in RULES if rule.subject == kind] for kind in {rule.subject for rule in RULES}}
MACHINES = {folder.name: folder for folder in FOLDERS}


def known_facts(storage):
    """Every (facts object, field name) of a machine that has a value; objects are shared between subjects."""
    objects = {id(facts): facts for subject in storage.subjects for facts in subject.scope.values()}
    return [
        (key, field)
        for key, facts in objects.items()
        for field in facts.__struct_fields__
        if isinstance(getattr(facts, field), Known)
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
        if forgotten and not any(id(facts) in names for facts in subject.scope.values()):
            continue
        scope = {}
        for space, facts in subject.scope.items():
            if id(facts) in names and id(facts) not in touched:
                touched[id(facts)] = structs.replace(facts, **dict.fromkeys(names[id(facts)], FORGOTTEN))
            scope[space] = touched.get(id(facts), facts)
        seen = structs.replace(subject, scope=scope)
        gone = {f"{space}.{name}" for space, facts in subject.scope.items() for name in names.get(id(facts), ())}
        found |= {
            (rule.id, subject.id)
            for rule in BY_KIND[subject.kind]
            if (not forgotten or gone & ASKED[rule.id]) and judge(rule, seen).outcome is Outcome.ADVISE
        }
    return found


@functools.cache
def known_and_advised(name):
    """What could be forgotten of a machine, and what is advised while nothing is."""
    _, storage, _ = audit(MACHINES[name])
    return storage, known_facts(storage), advice(storage)


@pytest.mark.parametrize("name", few(MACHINES))
def test_forgetting_any_one_fact_creates_no_advice(name):
    storage, facts, advised = known_and_advised(name)

    for fact in facts:
        assert advice(storage, {fact}) <= advised, fact[1]


def without(subject, names):
    """A subject of which these facts, 'disk.model', are not known."""
    scope = dict(subject.scope)
    for name in names:
        space, _, field = name.partition(".")
        scope[space] = structs.replace(scope[space], **{field: FORGOTTEN})
    return structs.replace(subject, scope=scope)


@pytest.mark.parametrize("name", few(MACHINES, 8))
def test_forgetting_one_or_two_facts_that_a_rule_asks_for_neither_calms_nor_advises(name):
    """All of them: a rule's answer depends on the facts alone that its expressions read."""
    storage, _, _ = known_and_advised(name)
    for subject in storage.subjects:
        known = {
            f"{space}.{field}"
            for space, facts in subject.scope.items()
            for field in facts.__struct_fields__
            if isinstance(getattr(facts, field), Known)
        }
        for rule in BY_KIND[subject.kind]:
            before = judge(rule, subject)
            asked = sorted(known & ASKED[rule.id])
            for names in (*itertools.combinations(asked, 1), *itertools.combinations(asked, 2)):
                after = judge(rule, without(subject, names))
                assert not (before.calls_for_action and after.outcome in SAFE), (rule.id, subject.id, names)
                assert not (after.calls_for_action and not before.calls_for_action), (rule.id, subject.id, names)
                if after.outcome is Outcome.ADVISE:
                    assert before.outcome is Outcome.ADVISE, (rule.id, subject.id, names)
                    assert set(after.instructions().now) <= set(before.instructions().now), (rule.id, subject.id, names)


@pytest.mark.parametrize("name", few(MACHINES, 4))
@tries(EACH)
@given(numbers=st.sets(st.integers(0, 1 << 16), max_size=100))
def test_forgetting_any_set_of_facts_creates_no_advice(name, numbers):
    storage, facts, advised = known_and_advised(name)

    assert advice(storage, {facts[number % len(facts)] for number in numbers}) <= advised


def test_the_recorded_machines_give_advice_that_could_be_lost():
    assert any(advice(audit(folder)[1]) for folder in MACHINES.values())
