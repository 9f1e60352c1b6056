"""Findings behind others: what follows from a cause, and tuning that waits until what is sick below is well.

One root cause is one finding. A rule names in `explained_by` what may be its cause; gains and hygiene wait for whatever
is losing data or has severe errors on the same storage; what rewrites data waits for free space, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject

About: TypeAlias = "tuple[str, str]"
"""The ids of a rule and of a subject."""

SICK: Final = frozenset({"losing", "errors"})
"""Urgencies of what has to be mended before anything is tuned, where it is severe."""
_SICKNESS: Final = ""
_SEVERE: Final = ("critical", "high")
_NO_SPACE: Final = "stall"
"""Urgency of what has to be mended before data is moved: a disk that is full, a drive that is too slow."""


class Behind(Struct, frozen=True):
    """The finding that another stands behind: its `cause`, or what has to be mended `first`."""

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
    one = found[about]
    while (above := (one.rule.id, one.subject.id)) in found and above not in seen:
        seen.add(above)
        one = Behind(found[above].why if one.why == "cause" else one.why, found[above].rule, found[above].subject)
    return one


class _Stack:
    """What stands on what."""

    def __init__(self, subjects: Iterable[Subject]) -> None:
        self._below = {subject.id: subject.below for subject in subjects}
        self._under: dict[str, frozenset[str]] = {}

    def under(self, at: str) -> frozenset[str]:
        """The ids of all that a subject stands on."""
        if at not in self._under:
            self._under[at] = frozenset()  # a stack that stands on itself ends here
            own = self._below.get(at, ())
            self._under[at] = frozenset(own).union(*(self.under(one) for one in own))
        return self._under[at]


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
