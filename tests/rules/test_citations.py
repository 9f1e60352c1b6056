"""What rules say of published documents is cited: figures by table, corrections by erratum."""

import re

from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.tables import errata, published_sources
from tests.cases import each

RULES = own_rulebook().rules
CORRECTED = {number for rule in RULES for number in rule.errata}
by_number = each("number", errata())


def figures(rule):
    return rule.gain.figures if rule.gain else ()


def words(rule):
    """All that a rule says in prose."""
    believe = rule.gain.believe if rule.gain else ""
    return " ".join([rule.why, rule.remedy.advice, believe, *(f"{it.says} {it.conditions}" for it in figures(rule))])


def test_a_figure_of_a_published_document_names_a_table_of_that_document():
    for rule in RULES:
        for figure in figures(rule):
            for seed in published_sources().values():
                if seed.name in figure.source:
                    assert figure.table.startswith(f"{seed.number}-"), f"{rule.id}: {figure.says}"


def test_a_figure_with_a_table_names_the_document_of_that_table():
    for rule in RULES:
        for figure in figures(rule):
            assert not figure.table or published_sources()[figure.table[:3]].name in figure.source, (
                f"{rule.id}: {figure.says}"
            )


def test_no_rule_speaks_of_documents_by_a_number_that_only_the_project_knows():
    for rule in RULES:
        named = [*(it.source for it in figures(rule)), *(it.name for it in rule.examples)]
        said = " ".join([rule.title, words(rule), *named])
        assert not re.search(r"\bseeds?\s+\d{3}\b", said, re.IGNORECASE), rule.id


def test_an_erratum_that_a_rule_speaks_of_stands_in_its_list():
    for rule in RULES:
        assert set(re.findall(r"\bE\d+\b", words(rule))) <= set(rule.errata), rule.id


@by_number
def test_an_erratum_is_corrected_by_a_rule_or_says_why_by_none(number):
    assert bool(errata()[number].no_rule) != (number in CORRECTED)
