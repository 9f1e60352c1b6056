"""What is told first of servers that hurt in different ways, or not at all; each says itself what is to be told."""

from importlib import import_module

import pytest

from fsadvisor.measure.now.answer import answer
from fsadvisor.pages.text import render
from fsadvisor.report.doctor_page import document
from fsadvisor.rulebook.loading import own_rulebook
from tests.doctor.situations import SITUATIONS

RULES = own_rulebook().rules

for module in ("quiet_servers", "stalled_servers", "slow_servers", "reported_servers"):
    import_module(f"tests.doctor.{module}")


@pytest.mark.parametrize("name", SITUATIONS)
def test_what_an_expert_says_first_is_told_first_and_nothing_that_it_is_not(name):
    expected = SITUATIONS[name]
    found = answer(expected.compose(), RULES)
    assert tuple(f"{one.verdict.rule.id}:{one.verdict.subject.name}" for one in found.found) == expected.first
    page = " ".join("".join(render(tuple(document(found)), margin=0)).partition("\nExcluded:")[0].split())
    for words in expected.words:
        assert words in page
    for words in expected.never:
        assert words not in page
