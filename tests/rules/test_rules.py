"""What holds for every rule file, without code for any of them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.laws import failures
from fsadvisor.rulebook.loading import own_rulebook, own_rules
from fsadvisor.rulebook.mutants import imagined
from fsadvisor.rulebook.rule import Outcome
from tests.cases import tries

RULEBOOK = own_rulebook()
RULES = RULEBOOK.rules
ADVISED = [(rule, example) for rule in RULES for example in rule.examples if example.expect is Outcome.ADVISE]


def outcome(rule, facts):
    return judge(rule, imagined(rule, facts)).outcome


def without(facts, forgotten):
    return {name: value for name, value in facts.items() if name not in forgotten}


def not_advised(rule):
    return [example for example in rule.examples if example.expect is not Outcome.ADVISE]


FEW = 7
"""So many facts can be forgotten in all of their 128 combinations."""
OF_MANY_FACTS = [(rule, example) for rule in RULES for example in not_advised(rule) if len(example.facts) > FEW]


def test_every_rule_file_loads():
    assert [str(error) for error in RULEBOOK.errors] == []
    assert RULES


def test_every_example_gets_the_verdict_that_it_expects():
    assert {rule.id: wrong for rule in RULES if (wrong := list(failures(rule)))} == {}


def test_a_rule_has_examples_that_advise_that_do_not_and_that_can_not_tell():
    for rule in RULES:
        expected = {example.expect for example in rule.examples}
        assert Outcome.ADVISE in expected, rule.id
        assert Outcome.UNDETERMINED in expected, rule.id
        assert expected & {Outcome.OK, Outcome.NOT_APPLICABLE}, rule.id


def test_a_gain_that_asks_for_safety_has_examples_of_what_happens_without():
    for rule in RULES:
        if rule.kind != "risk" and rule.own_safety:
            assert {example.expect for example in rule.examples} >= {Outcome.BLOCKED, Outcome.WITHHELD}, rule.id


def test_examples_of_a_rule_have_names_of_their_own():
    for rule in RULES:
        names = [example.name for example in rule.examples]
        assert len(set(names)) == len(names), rule.id


def test_no_rule_sets_a_property_of_a_zfs_dataset_which_others_may_inherit():
    told = list(own_rules().glob("*/zfs-*"))
    assert len(told) > 20
    assert [it.name for it in told if "zfs set" in it.read_text()] == []


def test_following_the_advice_ends_it():
    for rule, example in ADVISED:
        after = outcome(rule, {**example.facts, **rule.remedy.then})
        assert after in (Outcome.OK, Outcome.NOT_APPLICABLE), f"{rule.id}: {example.name}"


def test_an_example_that_advises_names_the_facts_that_its_commands_need():
    for rule, example in ADVISED:
        verdict = judge(rule, imagined(rule, example.facts))
        instructions = verdict.instructions()
        of_another_kind = (
            "the command would change nothing, since it is so already",
            *(it.by_hand for it in rule.remedy.ways),
        )
        withheld = instructions.no_commands and instructions.no_commands not in of_another_kind
        assert bool(withheld) == bool(verdict.open_answers()), f"{rule.id}: {example.name}"


@pytest.mark.parametrize(
    ("part", "all_of"), [(0, 2), (1, 2), *(pytest.param(part, FEW, marks=pytest.mark.long) for part in range(8))]
)
def test_forgetting_facts_never_creates_advice(part, all_of):
    """One or two of them; in `make long` any of them where an example has few."""
    for rule in RULES[part :: 8 if all_of == FEW else 2]:
        for example in not_advised(rule):
            most = len(example.facts) if len(example.facts) <= all_of else 2
            for count in range(1, most + 1):
                for forgotten in itertools.combinations(example.facts, count):
                    after = outcome(rule, without(example.facts, forgotten))
                    assert after is not Outcome.ADVISE, f"{rule.id}: {example.name}"


@tries(1000)
@given(which=st.sampled_from(OF_MANY_FACTS), numbers=st.sets(st.integers(0, 1 << 16), min_size=3))
def test_forgetting_any_of_many_facts_never_creates_advice(which, numbers):
    rule, example = which
    facts = sorted(example.facts)
    forgotten = {facts[number % len(facts)] for number in numbers}
    assert outcome(rule, without(example.facts, forgotten)) is not Outcome.ADVISE


def test_knowing_nothing_at_all_is_undetermined():
    assert {rule.id: outcome(rule, {}) for rule in RULES if outcome(rule, {}) is not Outcome.UNDETERMINED} == {}


def test_the_rules_cover_every_subject_kind_and_verdict():
    assert {rule.subject for rule in RULES} == {"host", "disk", "layer", "filesystem", "mount", "service", "now"}
    assert {rule.kind for rule in RULES} == {"risk", "gain", "hygiene"}
    assert {example.expect for rule in RULES for example in rule.examples} == set(Outcome)
