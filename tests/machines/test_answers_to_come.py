"""What is still being asked is never taken for an answer: a first look says nothing that the last one takes back."""

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Cause
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.survey.whole import survey
from tests.cases import few, tries
from tests.machines.partly import PartlyAnswered
from tests.machines.replay import FOLDERS, RULES

MACHINES = {folder.name: folder for folder in FOLDERS}
EACH = 4
EVERY_TIME = ("lab-lvm-volumes",)
ONE_BY_ONE = [name if name in EVERY_TIME else pytest.param(name, marks=pytest.mark.long) for name in MACHINES]
NOTHING_TO_DO = (Outcome.OK, Outcome.NOT_APPLICABLE)


def verdicts(machine):
    """By rule and subject."""
    return {
        (rule.id, subject.id): judge(rule, subject)
        for subject in survey(machine, {}).subjects
        for rule in RULES
        if rule.subject == subject.kind
    }


@functools.cache
def complete(name):
    """A recorded machine, what can be asked of it, and its verdicts once all is answered."""
    machine = PartlyAnswered(RecordedMachine(MACHINES[name]))
    found = verdicts(machine)
    return machine, tuple(machine.asked), found


def commands(verdict):
    told = verdict.instructions()
    return () if told.no_commands else (told.now, told.keep, told.undo)


def is_provisional(verdict):
    return any(fact.cause is Cause.BEING_ASKED for fact in verdict.to_learn().values())


def holds(name, waits):
    """The law, for the look at which these questions are unanswered."""
    machine, _, later = complete(name)
    for at, now in verdicts(PartlyAnswered(machine, waits)).items():
        then = later.get(at)
        outcome = then.outcome if then else None
        if now.outcome is Outcome.ADVISE:
            assert outcome is Outcome.ADVISE, at
        if commands(now):
            assert then is not None, at
            assert commands(now) == commands(then), at
        if now.outcome in NOTHING_TO_DO:
            assert outcome not in CALLS_FOR_ACTION, at
        if now.outcome in CALLS_FOR_ACTION and outcome is not now.outcome:
            assert is_provisional(now), at


@pytest.mark.parametrize("name", few(MACHINES))
def test_with_no_answer_at_all_nothing_is_said_that_is_taken_back(name):
    holds(name, frozenset(complete(name)[1]))


@pytest.mark.long
@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_with_one_question_unanswered_nothing_is_said_that_is_taken_back(name):
    for question in complete(name)[1]:
        holds(name, frozenset((question,)))


@pytest.mark.parametrize("name", ONE_BY_ONE)
@tries(EACH)
@given(data=st.data())
def test_with_some_questions_unanswered_nothing_is_said_that_is_taken_back(name, data):
    holds(name, data.draw(st.frozensets(st.sampled_from(complete(name)[1]))))
