"""The order of findings, as one table that anyone can recite: what is happening comes before what is convenient.

`fsadvisor explain order` prints the table. Within a row the worst severity stands first, then risk before gain before
hygiene, then what can be done before what waits for an answer, then the better basis and the smaller interruption. What
is not safe here stands behind all of it; what could not be told, and what passed, is no finding.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.storage.catalogue import SCOPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.rulebook.rule import Rule

MEASURED_GAIN: Final = "measured gain"
REST: Final = ""

ORDER: Final[Mapping[str, str]] = {
    "losing": "data is being lost, or redundancy is gone, now",
    "errors": "errors are there, and more will follow",
    "power-cut": "data is lost at the next power cut or crash",
    "boot": "it will not boot or mount",
    "stall": "writes stall or fail now, or will soon",
    MEASURED_GAIN: "a gain that was measured here",
    REST: "the rest",
}
"""Urgency -> what it means, the most urgent first. A rule names its own by `urgency`; a gain's is measured or not."""

WITHIN: Final = (
    (
        "Within a row: the worst severity first, then risk before gain before hygiene, then what can be done before"
        " what waits for an answer, then the better basis, then the smaller interruption."
    ),
    (
        "A finding that follows from another is told below it. Gains wait for whatever is losing data or has severe"
        " errors on the same storage; what rewrites data waits for free space, too. What is of low severity and was not"
        " measured, or is not safe here, is a line."
    ),
)
"""What decides between findings in one row, and which are no rows of their own."""

LEAST_GAIN_PERCENT: Final = 5
"""Of the time: a gain that was measured to be smaller is no reason to stand before anything."""

_OUTCOMES: Final = tuple(Outcome)
_URGENCIES: Final = tuple(ORDER)
_KINDS: Final = ("risk", "gain", "hygiene")
_SEVERITIES: Final = ("critical", "high", "moderate", "low")
_BASES: Final = ("measured", "documented", "reported", "")
_NEEDS: Final = {
    "online": "no interruption",
    "remount": "needs a remount",
    "unmount": "needs an unmount",
    "reboot": "needs a reboot",
    "reformat": "needs a new format",
    "hardware": "needs hardware",
}
_SUBJECTS: Final = tuple(SCOPES)

NOTHING_MEASURED: Final = 100
"""Percent of the time that is left where no gain was measured."""


class Rank(NamedTuple):
    """A verdict's place: compared from the left, smaller comes first; numbers count along the lists above."""

    group: int
    urgency: int
    gain: int
    """100 less the percent of the time that it saves by what was measured here; 100 but for measured gains."""
    severity: int
    kind: int
    outcome: int
    basis: int
    disruption: int
    subject_kind: int
    rule: str
    subject: str


def rank_of(rule: Rule, outcome: Outcome, subject: str, left: int = NOTHING_MEASURED) -> Rank:
    """Where such a verdict stands; `subject` is an id, `left` the percent of the time that its gain leaves."""
    return shared_rank(rule, outcome, left)._replace(subject=subject)


@cache
def shared_rank(rule: Rule, outcome: Outcome, left: int) -> Rank:
    """The part of a rank that all subjects of a rule share; it names no subject."""
    urgency = urgency_of(rule, outcome, left)
    return Rank(
        0 if outcome in (Outcome.ADVISE, Outcome.WITHHELD) else _OUTCOMES.index(outcome),
        _URGENCIES.index(urgency),
        left if urgency == MEASURED_GAIN else NOTHING_MEASURED,
        _SEVERITIES.index(rule.severity),
        _KINDS.index(rule.kind),
        _OUTCOMES.index(outcome),
        _BASES.index(_basis(rule, left)),
        tuple(_NEEDS).index(rule.remedy.needs),
        _SUBJECTS.index(rule.subject),
        rule.id,
        "",
    )


def urgency_of(rule: Rule, outcome: Outcome, left: int = NOTHING_MEASURED) -> str:
    """The row of ORDER that such a verdict stands in."""
    if rule.urgency:
        return rule.urgency
    measured = outcome in CALLS_FOR_ACTION and rule.kind == "gain" and left <= NOTHING_MEASURED - LEAST_GAIN_PERCENT
    return MEASURED_GAIN if measured else REST


def _basis(rule: Rule, left: int) -> str:
    if left < NOTHING_MEASURED:
        return "measured"
    return rule.gain.basis if rule.gain else ""


def weight(rank: Rank) -> Rank:
    """What makes one finding more important than another, without what only makes the order stable."""
    return rank._replace(subject_kind=0, rule="", subject="")


def reason_of(rule: Rule, outcome: Outcome, *, waived: bool, left: int, gain_percent: float | None) -> str:
    """Why such verdicts stand where they do, in words; `gain_percent` is a gain that was measured here."""
    words = [text] if (text := ORDER[urgency_of(rule, outcome, left)]) != ORDER[REST] else []
    words += [rule.severity, rule.kind, outcome.value]
    if gain_percent is not None:
        words.append(f"{gain_percent:g} % measured here" if gain_percent else "no gain measured here")
    elif rule.gain:
        words.append(rule.gain.basis)
    words.append(_NEEDS[rule.remedy.needs])
    if waived:
        words.append("waived")
    return ", ".join(words)
