"""Which of the advice is shown: of one severity, state, kind, interruption or mount; or all of it, group by group."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.pages.glyphs import Line, Span, Tone, cut, padded, span
from fsadvisor.pages.text import listed
from fsadvisor.report.rule_page import NEEDS
from fsadvisor.report.sections import NOT_BY_SEVERITY
from fsadvisor.rulebook.ranking import ORDER
from fsadvisor.rulebook.rule import SAID, Outcome
from fsadvisor.tui.views.look import finding_key
from fsadvisor.tui.views.rows import LazyRows, Row
from fsadvisor.tui.views.severity import TONES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.report.findings import Finding
    from fsadvisor.tui.views.look import Look

_NAMES: Final = {
    "severity": "severity",
    "state": "in the way",
    "kind": "kind",
    "needs": "interruption",
    "urgency": "urgency",
    "mount": "mount",
}
_GROUPS: Final = ("urgency", "mount", "kind", "needs")
_LONGEST: Final = 60
_NAME: Final = 14
_NONE: Final = "none of them"


class Narrowing(Struct, frozen=True):
    """Only what has that value; with no value, all, grouped by it; without both, all as it is ranked."""

    what: str = ""
    value: str = ""

    @property
    def words(self) -> str:
        """For the title of the pane."""
        if not self.what:
            return ""
        return f" by {_NAMES[self.what]}" if not self.value else f" {span(self.value, longest=_LONGEST).text}"


ALL: Final = Narrowing()


def counted_as(words: str) -> Narrowing | None:
    """What a count of the head line counts; None for what is no advice."""
    if words in TONES:
        return Narrowing("severity", words)
    return Narrowing("state", words) if words in NOT_BY_SEVERITY else None


def places(look: Look, way: Narrowing) -> list[int]:
    """Those of the advice in the ranking, from 0, that have the value."""
    return [at for at, one in enumerate(look.findings) if way.value in _values(look, one, way.what)]


def grouped(look: Look, way: Narrowing, among: Iterable[int]) -> list[tuple[str, list[int]]]:
    """The same places by what it is grouped by, each once, the group of the first place first."""
    groups: dict[str, list[int]] = {}
    for at in among:
        groups.setdefault(listed(_values(look, look.findings[at], way.what)) or _NONE, []).append(at)
    return list(groups.items())


def heading(name: str, number: int, columns: int, glyphs: Glyphs) -> Line:
    """Of a group."""
    told = (Span(" "), span(name, Tone.TITLE, _LONGEST), Span(f"  {number:,}", Tone.DIM))
    return cut(told, columns, glyphs.ellipsis)


FOLDED: Final = "follows from another finding, or waits for it"


def _values(look: Look, one: Finding, what: str) -> Sequence[str]:
    if what in ("severity", "state"):
        counts_as = one.counts_as
        return [counts_as] if (counts_as in TONES) is (what == "severity") else []
    if what == "kind":
        return [one.rule.kind]
    if what == "urgency":
        blocked = SAID[Outcome.BLOCKED] if one.outcome is Outcome.BLOCKED else ORDER[one.urgency]
        return [FOLDED if finding_key(one) in look.below else blocked]
    if what == "needs":
        return [NEEDS[one.rule.remedy.needs]]
    return list(dict.fromkeys(mount for subject in one.subjects for mount in look.mounts.get(subject.id, ())))


def rows(look: Look, width: int, glyphs: Glyphs) -> LazyRows:
    """Everything that there is to narrow to, with how many, and what it can be grouped by."""
    told = [(ALL, "", "all advice, as it is ranked", len(look.findings))]
    for what, name in _NAMES.items():
        numbers = Counter(value for one in look.findings for value in _values(look, one, what))
        order = TONES if what == "severity" else numbers
        told += [(Narrowing(what, value), name, value, numbers[value]) for value in order if numbers[value]]
    told += [(Narrowing(what), "group", f"by {_NAMES[what]}", 0) for what in _GROUPS]
    return LazyRows([_key(way) for way, *_ in told], lambda at: _row(*told[at], width, glyphs))


def _key(way: Narrowing) -> str:
    return f"{way.what}\n{way.value}"


def _row(way: Narrowing, name: str, value: str, number: int, width: int, glyphs: Glyphs) -> Row:
    tone = TONES.get(value, Tone.PLAIN)
    count = Span(f"{number:>6,}  " if number else " " * 8, Tone.DIM)
    told = (Span(" "), *padded((Span(name, Tone.DIM),), _NAME), count, span(value, tone, _LONGEST))
    return Row(_key(way), (cut(told, width, glyphs.ellipsis),))


def way_of(key: str) -> Narrowing:
    """That of a row's key."""
    what, _, value = key.partition("\n")
    return Narrowing(what, value)
