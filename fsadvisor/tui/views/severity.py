"""How grave advice is, in words of a few columns, and how it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import FALSE, UNKNOWN, Cause
from fsadvisor.pages.glyphs import Span, Tone
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.report.findings import Finding

TONES: Final = {"critical": Tone.BAD, "high": Tone.BAD, "moderate": Tone.WARNING, "low": Tone.PLAIN}
_SHORT: Final = {"critical": "crit", "high": "high", "moderate": "mod", "low": "low"}
_ORDER: Final = tuple(TONES)
_GRAVE: Final = ("critical", "high")
NOW: Final = ("losing", "errors", "stall")
"""Urgencies of what is wrong at this moment."""

_ADVISED, _HELD, _WAIVED = range(3)
MARK_WIDTH: Final = 9
"""Columns of a mark: a word, and how many pieces of advice."""


def mark(findings: Iterable[Finding]) -> Span:
    """The gravest of them and how many there are: 'high 3'; in brackets where none can be followed yet."""
    standing = [(_standing(one), _ORDER.index(one.rule.severity)) for one in findings]
    if not standing:
        return Span(" " * MARK_WIDTH)
    state, severity = min(standing)
    word = _SHORT[_ORDER[severity]]
    open_ones = sum(one != _WAIVED for one, _ in standing)
    if state == _WAIVED:
        return Span("waived".ljust(MARK_WIDTH), Tone.DIM)
    shown = word if state == _ADVISED else f"({word})"
    number = f" {open_ones}" if open_ones > 1 else ""
    tone = TONES[_ORDER[severity]] if state == _ADVISED else Tone.DIM
    return Span(f"{shown}{number}".ljust(MARK_WIDTH), tone)


def weight(findings: Iterable[Finding], glyphs: Glyphs) -> Span:
    """One column at the edge of a row: the gravest of what can be followed, by shape and by colour."""
    advised = [_ORDER.index(one.rule.severity) for one in findings if _standing(one) == _ADVISED]
    if not advised:
        return Span(" ")
    return Span(glyphs.weights[min(advised)], TONES[_ORDER[min(advised)]])


def gravity(findings: Iterable[Finding]) -> tuple[int, int, int]:
    """A sort key: what can be followed before what is held back, the gravest first, then the most."""
    standing = [(_standing(one), _ORDER.index(one.rule.severity)) for one in findings]
    return (*min(standing, default=(_WAIVED, len(_ORDER))), -len(standing))


def wrong_now(finding: Finding) -> bool:
    """Whether it tells of severe trouble of this moment that nobody has accepted."""
    grave = finding.rule.severity in _GRAVE and finding.rule.urgency in NOW
    return grave and _standing(finding) == _ADVISED


def _standing(finding: Finding) -> int:
    if finding.waiver:
        return _WAIVED
    return _ADVISED if finding.outcome is Outcome.ADVISE else _HELD


def state(finding: Finding, asking: Collection[str]) -> str:
    """What stands in the way of a finding, in a few words; '' where nothing does; `asking` is what is still asked."""
    if waiver := finding.waiver:
        return f"waived until {waiver.until}"
    if finding.outcome is Outcome.BLOCKED:
        return "not safe here: a safety check says no"
    if finding.outcome is Outcome.WITHHELD:
        if asking and is_being_asked(finding):
            return "being checked"
        missing = sum(truth is UNKNOWN for ask, truth in finding.answers() if ask.part == "safety")
        return f"safety not known: {missing} to prove first"
    unsafe = [truth for ask, truth in finding.answers() if ask.part == "safety" and truth in (FALSE, UNKNOWN)]
    if unsafe and asking and is_being_asked(finding):
        return "commands being checked"
    return "no commands: a safety check says no" if FALSE in unsafe else "no commands yet" if unsafe else ""


def is_being_asked(finding: Finding) -> bool:
    """Whether an answer is still to come that would say more of it."""
    return any(fact.cause is Cause.BEING_ASKED for fact in finding.verdicts[0].to_learn().values())
