"""Every small change of a rule's questions is noticed by one of its examples."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from fsadvisor.rulebook.laws import Missing, missing_examples, steps_as_toml, unproven
from fsadvisor.rulebook.loading import load_rule, own_rulebook
from fsadvisor.rulebook.mutants import mutants, survivors
from fsadvisor.rulebook.rule import Rule

RULES = own_rulebook().rules


def bare(rule):
    """The rule without the steps of its examples."""
    return replace(rule, examples=tuple(example for example in rule.examples if not example.like))


def test_examples_notice_every_small_change_of_a_question_that_a_subject_could_show_and_each_of_a_safety_question():
    unnoticed = {rule.id: [*survivors(rule)] for rule in RULES}
    told = {rule.id: [each.change for each in rule.equivalents] for rule in RULES}
    assert {rule: [mutant.change for mutant in mutants] for rule, mutants in unnoticed.items()} == told
    assert [one.change for mutants in unnoticed.values() for one in mutants if one.part == "safety"] == []


@pytest.mark.long
def test_every_kind_of_change_is_tried():
    kinds = {mutant.kind for rule in RULES for mutant in mutants(rule)}
    assert kinds == {
        "drop question",
        "deny question",
        "forget",
        "opposite",
        "drop value",
        "drop not",
        "and/or",
        "drop term",
        "boundary",
        "threshold",
        "hold at yes",
        "hold at no",
        "unit",
    }


@pytest.mark.long
def test_without_its_steps_the_catalogue_would_be_noticed_to_lack_them():
    assert len([mutant for rule in RULES for mutant in survivors(bare(rule))]) > 500


def test_what_rule_try_prints_makes_the_rule_prove_itself(tmp_path):
    rule = next(rule for rule in RULES if rule.id == "nobarrier-unproven")
    text = Path(rule.file).read_text(encoding="utf-8").partition("[[steps]]")[0]
    file = tmp_path / "nobarrier-unproven.toml"
    file.write_text(text, encoding="utf-8")
    without = load_rule(file)
    assert isinstance(without, Rule)
    assert any("leave out" in words or "notices" in words for words in unproven(without))
    missing = list(missing_examples(without))
    assert all(isinstance(found, Missing) for found in missing)
    file.write_text(f"{text}\n{steps_as_toml(missing)}", encoding="utf-8")
    healed = load_rule(file)
    assert isinstance(healed, Rule)
    assert list(unproven(healed)) == []
