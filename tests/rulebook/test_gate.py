"""The health gate: what it asks of each kind of subject, and the answers that open it."""

from msgspec.structs import replace

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, Cause, Unknown
from fsadvisor.rulebook import gate
from fsadvisor.storage.catalogue import SCOPES
from tests.cases import each
from tests.rulebook.imagine import scope

OPEN = {
    "disk.failing": False,
    "layer.incomplete": False,
    "below.any_failing": False,
    "below.any_incomplete": False,
    "filesystem.sound": True,
    "host.backed_up": True,
}


@each("subject", SCOPES)
def test_all_that_could_make_a_rewrite_lose_data_is_asked_and_open_only_by_the_good_answer(subject):
    asked = gate.questions(subject)
    expected = [name for name in OPEN if name.partition(".")[0] in SCOPES[subject]]
    assert [expression.names for _, expression in asked] == [(name,) for name in expected]
    for (question, expression), name in zip(asked, expected, strict=True):
        assert question.endswith("?")
        assert expression.evaluate(scope(subject, {name: OPEN[name]})) is TRUE
        assert expression.evaluate(scope(subject, {name: not OPEN[name]})) is FALSE
        space, _, field = name.partition(".")
        there = scope(subject, {})
        unknown = {**there, space: replace(there[space], **{field: Unknown(Cause.NOT_EXPOSED, "")})}
        assert expression.evaluate(unknown) is UNKNOWN


def test_what_opens_it_is_told_to_those_who_imagine_a_well_machine():
    assert gate.OPEN == OPEN
