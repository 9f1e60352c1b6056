"""`rule try` tells an author all that the tests would find missing in a rule."""

import pytest

from fsadvisor.rulebook.laws import unproven
from fsadvisor.rulebook.loading import load_rule
from tests.paths import ROOT

RULE = (ROOT / "rules" / "disk" / "nvme-with-scheduler.toml").read_text()


def said(folder, text):
    file = folder / "nvme-with-scheduler.toml"
    file.write_text(text)
    return list(unproven(load_rule(file)))


def without_example(name):
    before, _, after = RULE.partition(f'[[example]]\nname   = "{name}"')
    assert after
    return before + after[after.find("[[example]]") :] if "[[example]]" in after else before


def test_of_a_rule_that_proves_itself_nothing_is_told(tmp_path):
    assert said(tmp_path, RULE) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (RULE.replace('expect = "advise"', 'expect = "ok"'), "no example expects advise"),
        (without_example("whether it is zoned is not known"), "no example expects undetermined"),
        (without_example("BFQ may be there for its shares").partition("[[steps]]")[0], "no example expects blocked"),
        (without_example("whether this is a container is not known"), "no example expects withheld"),
    ],
)
def test_an_example_that_is_missing_is_told(tmp_path, text, line):
    assert line in said(tmp_path, text)


def test_a_remedy_that_does_not_end_the_advice_is_told(tmp_path):
    text = RULE.replace('[remedy.then]\ndisk.scheduler = "none"', '[remedy.then]\ndisk.scheduler = "kyber"')
    assert said(tmp_path, text) == ["example 'mq-deadline set by a udev rule': advise still, after [remedy.then]"]


def test_an_example_with_another_verdict_is_told(tmp_path):
    text = RULE.replace('name   = "no scheduler"\nexpect = "ok"', 'name   = "no scheduler"\nexpect = "undetermined"')
    assert said(tmp_path, text) == ["example 'no scheduler': ok, not undetermined"]
