"""What rules say of the seed documents is cited: figures by table, corrections by erratum."""

import re

import pytest

from fsadvisor.rulebook.shelf import own_shelf
from fsadvisor.rulebook.tables import errata

RULES = own_shelf().rules
CORRECTED = {number for rule in RULES for number in rule.errata}
by_number = pytest.mark.parametrize("number", errata())


def figures(rule):
    return rule.gain.figures if rule.gain else ()


def words(rule):
    """All that a rule says in prose."""
    believe = rule.gain.believe if rule.gain else ""
    return " ".join([rule.why, rule.remedy.advice, believe, *(f"{it.says} {it.conditions}" for it in figures(rule))])


def test_a_figure_of_a_seed_names_a_table_of_that_seed():
    for rule in RULES:
        for figure in figures(rule):
            for seed in re.findall(r"\bseed (\d{3})", figure.source):
                assert figure.table.startswith(f"{seed}-"), f"{rule.id}: {figure.says}"


def test_an_erratum_that_a_rule_speaks_of_stands_in_its_list():
    for rule in RULES:
        assert set(re.findall(r"\bE\d+\b", words(rule))) <= set(rule.errata), rule.id


@by_number
def test_an_erratum_is_corrected_by_a_rule_or_says_why_by_none(number):
    assert bool(errata()[number].no_rule) != (number in CORRECTED)
