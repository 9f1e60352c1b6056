"""The order of what was found, and what stands behind what: a finding that follows from another is told below it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, SAID, Outcome
from fsadvisor.rulebook.shape import SEVERITIES
from fsadvisor.storage.catalogue import SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject


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
        "Within a row the worst severity comes first, then risk before gain before hygiene. What can be done comes"
        " before what waits for an answer, then the better basis, then the smaller interruption."
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
_BASES: Final = ("measured", "documented", "reported", "")
_ACCORDING_TO: Final = {
    "measured": "measured elsewhere, not here",
    "documented": "documented, not measured here",
    "reported": "reported by others, not measured here",
}
_NEEDS: Final = {
    "online": "no interruption",
    "remount": "needs a remount",
    "restart": "needs a restart",
    "unmount": "needs an unmount",
    "reboot": "needs a reboot",
    "reformat": "needs a new format",
    "hardware": "replaces or adds hardware",
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
        SEVERITIES.index(rule.severity),
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
    what, urgency = f"{rule.severity} {rule.kind}", urgency_of(rule, outcome, left)
    words = [what if urgency in (REST, MEASURED_GAIN) else f"{what}: {ORDER[urgency]}"]
    if outcome is not Outcome.ADVISE:
        words.append(SAID[outcome])
    if gain_percent is not None:
        words.append(f"{gain_percent:g} % measured here" if gain_percent else "no gain measured here")
    elif rule.gain:
        words.append(_ACCORDING_TO[rule.gain.basis])
    words.append(_NEEDS[rule.remedy.needs])
    if waived:
        words.append("waived")
    return "; ".join(words)


About: TypeAlias = "tuple[str, str]"
"""The ids of a rule and of a subject."""

SICK: Final = frozenset({"losing", "errors"})
"""Urgencies of what has to be repaired before anything is tuned, where it is severe."""
_SICKNESS: Final = ""
_SEVERE: Final = ("critical", "high")
_NO_SPACE: Final = "stall"
"""Urgency of what has to be repaired before data is moved: a disk that is full, a drive that is too slow."""


class Behind(Struct, frozen=True):
    """The finding that another stands behind: its `cause`, or what has to be repaired `first`."""

    why: Literal["cause", "first"]
    rule: Rule
    subject: Subject


def behind(
    calling: Sequence[tuple[Rule, Outcome, Subject]], subjects: Iterable[Subject], waived: frozenset[About]
) -> Mapping[About, Behind]:
    """Which of the verdicts that call for action stand behind which; what is waived has nothing behind it."""
    causes: dict[str, list[tuple[Rule, Subject]]] = {}
    named = {cause for rule, _, _ in calling for cause in rule.explained_by}
    for rule, outcome, subject in calling:
        if outcome is Outcome.ADVISE and (rule.id, subject.id) not in waived:
            if rule.id in named:
                causes.setdefault(rule.id, []).append((rule, subject))
            if rule.urgency in SICK and rule.severity in _SEVERE:
                causes.setdefault(_SICKNESS, []).append((rule, subject))
            if rule.urgency == _NO_SPACE and rule.severity in _SEVERE:
                causes.setdefault(_NO_SPACE, []).append((rule, subject))
    if not causes:
        return {}
    stack = _Stack(subjects)
    reached = {key: _Reached(stack, found) for key, found in causes.items()}
    found: dict[About, Behind] = {}
    for rule, _, subject in calling:
        one = _behind(rule, subject, reached)
        if one is not None:
            found[rule.id, subject.id] = one
    return {about: _outermost(about, found) for about in found}


def _behind(rule: Rule, subject: Subject, reached: Mapping[str, _Reached]) -> Behind | None:
    for cause in rule.explained_by:
        if cause in reached and (hit := reached[cause].by(subject)):
            return Behind("cause", *hit)
    if rule.kind == "risk":
        return None
    for wait in (_SICKNESS, *([_NO_SPACE] if rule.remedy.rewrites else [])):
        if wait in reached and (hit := reached[wait].by(subject)):
            return Behind("first", *hit)
    return None


def _outermost(about: About, found: Mapping[About, Behind]) -> Behind:
    """The finding that stands behind no other; rules that explain each other are cut where the circle closes."""
    seen = {about}
    top = found[about]
    while (above := (top.rule.id, top.subject.id)) in found and above not in seen:
        seen.add(above)
        top = Behind(found[above].why if top.why == "cause" else top.why, found[above].rule, found[above].subject)
    return top


class _Stack:
    """What stands on what."""

    def __init__(self, subjects: Iterable[Subject]) -> None:
        self._below = {subject.id: subject.below for subject in subjects}
        self._under: dict[str, frozenset[str]] = {}

    def under(self, subject: str) -> frozenset[str]:
        """The ids of all that a subject stands on."""
        if subject not in self._under:
            self._under[subject] = frozenset()  # a stack that stands on itself ends here
            own = self._below.get(subject, ())
            self._under[subject] = frozenset(own).union(*(self.under(below) for below in own))
        return self._under[subject]


class _Reached:
    """What is touched by findings on some subjects: these, what they stand on, what stands on them; a host is all."""

    def __init__(self, stack: _Stack, causes: Sequence[tuple[Rule, Subject]]) -> None:
        self._stack = stack
        self._first = causes[0]
        self._host = next((one for one in causes if one[1].kind == "host"), None)
        self._at = {subject.id: (rule, subject) for rule, subject in reversed(causes)}
        self._below = {one: (rule, subject) for rule, subject in reversed(causes) for one in stack.under(subject.id)}

    def by(self, subject: Subject) -> tuple[Rule, Subject] | None:
        """The rule and subject that touch this one, the first in rank order."""
        if subject.kind == "host":
            return self._first
        own = self._at.get(subject.id) or self._host
        if own is None:
            own = next((self._at[one] for one in sorted(self._stack.under(subject.id)) if one in self._at), None)
        return own or self._below.get(subject.id)
