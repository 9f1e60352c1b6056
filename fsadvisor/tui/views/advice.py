"""The ranked advice as rows, and which of it is shown.

All of it, or that of one severity, state, kind, interruption or mount; or all of it, group by group. And what of it was
chosen for a plan: rules on subjects, whatever findings a later snapshot gathers them into.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.pages.document import Paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, columns, cut, line, padded, span
from fsadvisor.pages.screen import laid
from fsadvisor.pages.values import counted, full_name, listed, short_name
from fsadvisor.report.rule_page import NEEDS
from fsadvisor.report.sections import NOT_BY_SEVERITY
from fsadvisor.rulebook.ranking import MEASURED_GAIN, ORDER
from fsadvisor.rulebook.rule import SAID, Outcome
from fsadvisor.tui.views.rows import LazyRows, Row
from fsadvisor.tui.views.severity import TONES, state, weight
from fsadvisor.tui.views.snapshot import finding_key

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.report.findings import Finding
    from fsadvisor.tui.views.snapshot import Snapshot


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


class AdviceFilter(Struct, frozen=True):
    """Only what has that value; with no value, all, grouped by it; without both, all as it is ranked."""

    what: str = ""
    value: str = ""

    @property
    def words(self) -> str:
        """For the title of the pane."""
        if not self.what:
            return ""
        return f" by {_NAMES[self.what]}" if not self.value else f" {span(self.value, longest=_LONGEST).text}"


ALL_ADVICE: Final = AdviceFilter()


def counted_as(words: str) -> AdviceFilter | None:
    """What a count of the head line counts; None for what is no advice."""
    if words in TONES:
        return AdviceFilter("severity", words)
    return AdviceFilter("state", words) if words in NOT_BY_SEVERITY else None


def places_of(snapshot: Snapshot, wanted: AdviceFilter) -> list[int]:
    """Those of the advice in the ranking, from 0, that have the value."""
    return [at for at, one in enumerate(snapshot.findings) if wanted.value in _values(snapshot, one, wanted.what)]


def grouped(snapshot: Snapshot, wanted: AdviceFilter, among: Iterable[int]) -> list[tuple[str, list[int]]]:
    """The same places by what it is grouped by, each once, the group of the first place first."""
    groups: dict[str, list[int]] = {}
    for index in among:
        groups.setdefault(listed(_values(snapshot, snapshot.findings[index], wanted.what)) or _NONE, []).append(index)
    return list(groups.items())


def group_heading(name: str, number: int, columns: int, glyphs: Glyphs) -> Line:
    """The line above a group: its name, and how many it has."""
    told = (Span(" "), span(name, Tone.TITLE, _LONGEST), Span(f"  {number:,}", Tone.DIM))
    return cut(told, columns, glyphs.ellipsis)


FOLDED: Final = "follows from another finding, or waits for it"


def _values(snapshot: Snapshot, finding: Finding, what: str) -> Sequence[str]:
    if what in ("severity", "state"):
        counts_as = finding.counts_as
        return [counts_as] if (counts_as in TONES) is (what == "severity") else []
    if what == "kind":
        return [finding.rule.kind]
    if what == "urgency":
        blocked = SAID[Outcome.BLOCKED] if finding.outcome is Outcome.BLOCKED else ORDER[finding.urgency]
        return [FOLDED if finding_key(finding) in snapshot.below else blocked]
    if what == "needs":
        return [NEEDS[finding.rule.remedy.needs]]
    return list(dict.fromkeys(mount for subject in finding.subjects for mount in snapshot.mounts.get(subject.id, ())))


def filters(snapshot: Snapshot, width: int, glyphs: Glyphs) -> LazyRows:
    """Everything that there is to narrow to, with how many, and what it can be grouped by."""
    choices = [(ALL_ADVICE, "", "all advice, as it is ranked", len(snapshot.findings))]
    for what, name in _NAMES.items():
        numbers = Counter(value for one in snapshot.findings for value in _values(snapshot, one, what))
        order = TONES if what == "severity" else numbers
        choices += [(AdviceFilter(what, value), name, value, numbers[value]) for value in order if numbers[value]]
    choices += [(AdviceFilter(what), "group", f"by {_NAMES[what]}", 0) for what in _GROUPS]
    return LazyRows([_key(wanted) for wanted, *_ in choices], lambda at: _filter_row(*choices[at], width, glyphs))


def _key(wanted: AdviceFilter) -> str:
    return f"{wanted.what}\n{wanted.value}"


def _filter_row(wanted: AdviceFilter, name: str, value: str, number: int, width: int, glyphs: Glyphs) -> Row:
    tone = TONES.get(value, Tone.PLAIN)
    count = Span(f"{number:>6,}  " if number else " " * 8, Tone.DIM)
    told = (Span(" "), *padded((Span(name, Tone.DIM),), _NAME), count, span(value, tone, _LONGEST))
    return Row(_key(wanted), (cut(told, width, glyphs.ellipsis),))


def filter_of(key: str) -> AdviceFilter:
    """That of a row's key."""
    what, _, value = key.partition("\n")
    return AdviceFilter(what, value)


class Choice:
    """Rule and subject of each verdict that was chosen, in the order chosen.

    A finding is known by its first subject, and gathers others from snapshot to snapshot: were it chosen as such, a
    disk that came later would be planned for though nobody chose it, and one that now is told apart would be left out.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._pairs = dict.fromkeys(pairs)

    def __bool__(self) -> bool:
        return bool(self._pairs)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Rules and ids of subjects, as of this moment."""
        return tuple(self._pairs)

    def of(self, finding: Finding) -> int:
        """For how many of its subjects a finding was chosen."""
        return sum(pair in self._pairs for pair in pairs_of(finding)) if self._pairs else 0

    def findings(self, findings: Sequence[Finding]) -> int:
        """How many of these were chosen, be it for some of their subjects."""
        rules = {rule for rule, _ in self._pairs}
        return sum(one.rule.id in rules and any(pair in self._pairs for pair in pairs_of(one)) for one in findings)

    def add(self, found: Iterable[Finding]) -> None:
        """All subjects of these."""
        self._pairs |= dict.fromkeys(pair for one in found for pair in pairs_of(one))

    def drop(self, finding: Finding) -> None:
        """Choose a finding for none of its subjects."""
        for pair in pairs_of(finding):
            self._pairs.pop(pair, None)

    def turn(self, finding: Finding) -> bool:
        """All of its subjects, or none where it was all; whether it is chosen now."""
        if self.of(finding) == len(finding.verdicts):
            self.drop(finding)
            return False
        self.add((finding,))
        return True

    def clear(self) -> None:
        """Choose nothing."""
        self._pairs.clear()


def pairs_of(finding: Finding) -> Iterator[tuple[str, str]]:
    """(rule id, subject id) of each of a finding's subjects."""
    return ((finding.rule.id, subject.id) for subject in finding.subjects)


def the_chosen(findings: Iterable[Finding], pairs: Container[tuple[str, str]]) -> Iterator[Finding]:
    """The findings, each of those of its subjects that were chosen alone."""
    for finding in findings:
        verdicts = [it for it in finding.verdicts if (it.rule.id, it.subject.id) in pairs]
        if verdicts:
            yield type(finding)(finding.rule, finding.outcome, finding.truths, verdicts)


_SUBJECTS: Final = 3
NOTHING_CHOSEN: Final = Choice()
_WORD: Final = 9
_WITH_URGENCY: Final = 70
"""Columns from which the row of `fsadvisor explain order` stands behind the severity: advice is sorted by it."""

URGENCIES: Final = {
    "losing": "losing",
    "errors": "errors",
    "power-cut": "power cut",
    "boot": "boot",
    "stall": "stalls",
    MEASURED_GAIN: "gain",
}
_FEW: Final = 2
"""Lines of a row, from more of which on its place stands right behind its title."""
GROUP: Final = "group\n"
"""Begins the key of a row that is the name of a group."""


def rows(
    snapshot: Snapshot,
    width: int,
    glyphs: Glyphs,
    *,
    chosen: Choice = NOTHING_CHOSEN,
    only: Sequence[int] | None = None,
    height: int = 0,
    groups: Sequence[tuple[str, Sequence[int]]] = (),
) -> LazyRows:
    """What, then where and what speaks for it; `only` are the places in the ranking to show, from 0.

    `groups` are such places by a name that stands above them, instead.
    Where all are whole in `height` lines, nothing is cut; else the place stands in a second line where there is room.
    """
    if groups:
        return _grouped(snapshot, width, glyphs, chosen, groups)
    places = range(len(snapshot.findings)) if only is None else [at for at in only if at < len(snapshot.findings)]
    urgency = _urgency_width(snapshot, width)
    keys = [finding_key(snapshot.findings[at]) for at in places]

    def made(index: int) -> Row:
        finding = snapshot.findings[places[index]]
        first = _first(snapshot, places[index], glyphs, chosen.of(finding), urgency)
        lines = _lines(snapshot, finding, first, width, glyphs, chosen.of(finding), in_one=len(places) * 2 > height > 0)
        return Row(keys[index], lines, f"{finding.rule.id} {finding.rule.kind}")

    if len(places) <= height:
        full = [_whole(snapshot, at, width, glyphs, chosen.of(snapshot.findings[at]), urgency) for at in places]
        tallest = max(map(len, full), default=0)
        if len(places) * tallest <= height:
            padded_rows = [(*one, *[()] * (tallest - len(one))) for one in full]
            return LazyRows(keys, lambda index: replace(made(index), lines=padded_rows[index]))
    return LazyRows(keys, made)


def _grouped(
    snapshot: Snapshot, width: int, glyphs: Glyphs, chosen: Choice, groups: Sequence[tuple[str, Sequence[int]]]
) -> LazyRows:
    """A line each, under a line with the group's name."""
    listed = [(name, at) for name, places in groups for at in (None, *places)]
    numbers = {name: len(places) for name, places in groups}
    keys = [f"{GROUP}{name}" if at is None else finding_key(snapshot.findings[at]) for name, at in listed]
    urgency = _urgency_width(snapshot, width)

    def made(at_row: int) -> Row:
        name, index = listed[at_row]
        if index is None:
            return Row(keys[at_row], (group_heading(name, numbers[name], width, glyphs),))
        finding = snapshot.findings[index]
        first = _first(snapshot, index, glyphs, chosen.of(finding), urgency)
        lines = _lines(snapshot, finding, first, width, glyphs, chosen.of(finding), in_one=True)
        return Row(keys[at_row], lines, f"{finding.rule.id} {finding.rule.kind}")

    return LazyRows(keys, made)


def urgency(snapshot: Snapshot, finding: Finding) -> str:
    """Why it stands where it does, in a word or two; of what follows from another finding, which one."""
    if told := snapshot.below.get(finding_key(finding)):
        return f"{'from' if told.words == 'follows from' else 'after'} {told.number}"
    if finding.outcome is Outcome.BLOCKED:
        return "unsafe"
    return URGENCIES.get(finding.urgency, "")


def _urgency_width(snapshot: Snapshot, width: int) -> int:
    """Of the column, with the gap behind it; 0 where there is no room for it."""
    longest = max((len(urgency(snapshot, one)) for one in snapshot.findings), default=0)
    return longest + 1 if longest and width >= _WITH_URGENCY else 0


def _whole(snapshot: Snapshot, index: int, width: int, glyphs: Glyphs, chosen: int, urgency: int) -> list[Line]:
    """All the words of the finding at that place, in as many lines as that takes."""
    finding, first = snapshot.findings[index], _first(snapshot, index, glyphs, chosen, urgency)
    margin = columns(first)
    place = Paragraph(tuple(_place(snapshot, finding, chosen)), (Span(" " * margin),), margin)
    stacked = laid((Paragraph((span(finding.title),), first, margin), place), width)
    joined = laid((Paragraph((span(finding.title), Span("  "), *place.words), first, margin),), width)
    every = stacked if len(stacked) <= _FEW else joined
    return [cut(one, width, glyphs.ellipsis) for one in every]


def _first(snapshot: Snapshot, index: int, glyphs: Glyphs, chosen: int, columns_for_urgency: int) -> Line:
    """What stands before a title: whether it is chosen, its place, how grave and how urgent it is."""
    finding = snapshot.findings[index]
    severity = finding.rule.severity
    quiet = finding.waiver is not None or finding.outcome is not Outcome.ADVISE
    return line(
        weight([finding], glyphs),
        Span(glyphs.chosen if chosen else " ", Tone.GOOD),
        Span(f"{index + 1:>{len(str(len(snapshot.findings)))}} ", Tone.DIM),
        Span(severity.ljust(_WORD), Tone.DIM if quiet else TONES[severity]),
        Span(urgency(snapshot, finding).ljust(columns_for_urgency) if columns_for_urgency else "", Tone.DIM),
    )


def _lines(
    snapshot: Snapshot, finding: Finding, first: Line, width: int, glyphs: Glyphs, chosen: int, *, in_one: bool
) -> tuple[Line, ...]:
    """The title and the place: below each other, or in one line, of which the end is cut."""
    title = (*first, span(finding.title))
    place = tuple(_place(snapshot, finding, chosen))
    lines = [(*title, Span("  "), *place)] if in_one else [title, (Span(" " * columns(first)), *place)]
    return tuple(cut(one, width, glyphs.ellipsis) for one in lines)


def _place(snapshot: Snapshot, finding: Finding, chosen: int) -> Iterator[Span]:
    """The state first: it must not be cut."""
    yield span(finding.rule.kind, Tone.DIM)
    if chosen:
        number = len(finding.verdicts)
        yield span(", in the plan" if chosen == number else f", {chosen:,} of {number:,} in the plan", Tone.GOOD)
    if words := state(finding, snapshot.asking):
        yield span(f", {words}", Tone.DIM if finding.waiver else Tone.WARNING)
    if behind := finding.verdicts[0].behind:
        word = "follows from" if behind.why == "cause" else "waits for"
        yield span(f", {word} {short_name(behind.subject)}", Tone.DIM)
    if measured := finding.verdicts[0].measured:
        words = measured.says if finding.verdicts[0].tried else f"at most {measured.value:g} %, measured"
        yield span(f", {words} here", Tone.GOOD if measured.value else Tone.DIM)
    yield span(f"; on {_where(finding)}", Tone.DIM)


def _where(finding: Finding) -> str:
    """The first subjects by name, without walking through the thousands that there may be."""
    number = len(finding.verdicts)
    if number == 1:
        return full_name(finding.verdicts[0].subject)
    names = [short_name(verdict.subject) for verdict in finding.verdicts[:_SUBJECTS]]
    if number > _SUBJECTS:
        names.append(f"{number - _SUBJECTS:,} more")
    return f"{counted(number, finding.rule.subject)}: {listed(names)}"


def title(
    snapshot: Snapshot, only: Sequence[int] | None, about: str, chosen: int, wanted: AdviceFilter = ALL_ADVICE
) -> Line:
    """The pane's title: how many, and of what, where they are narrowed."""
    number = len(snapshot.findings)
    words = [span("Advice", Tone.TITLE), span(wanted.words, Tone.STRONG)]
    if only is None:
        order = "; most urgent first, then severity" if number > 1 else ""
        words.append(span(f"  {number:,}{order}", Tone.DIM))
    elif not about:
        words.append(span(f"  {len(only):,} of {number:,}; Esc shows all", Tone.WARNING))
    else:
        words.append(span(f" for {about}", Tone.STRONG, 40))
        words.append(span(f"  {len(only):,} of {number:,}; Esc shows all", Tone.WARNING))
    if chosen:
        words.append(span(f"  {chosen:,} in the plan", Tone.GOOD))
    return tuple(words)


def nothing(snapshot: Snapshot, only: Sequence[int] | None, width: int) -> list[Line]:
    """What stands there where there is no advice."""
    if only is not None and snapshot.findings:
        return _wrapped(width, span("No advice speaks of this, nor of what is below or above it.", Tone.DIM))
    if snapshot.asking:
        message = f"Nothing calls for action so far; {counted(len(snapshot.asking), 'answer')} still to come."
        return _wrapped(width, span(message, Tone.DIM))
    passed = snapshot.outcomes.get(Outcome.OK, 0)
    unknown = snapshot.outcomes.get(Outcome.UNDETERMINED, 0)
    words = [span(f"{counted(passed, 'check')} passed.")]
    if unknown:
        words.append(span(f" {unknown:,} not known: ", Tone.UNKNOWN))
        words += [Span("2", Tone.KEY), Span(" lists them.")]
    return [*_wrapped(width, span("Nothing calls for action.", Tone.GOOD)), *_wrapped(width, *words)]


def _wrapped(width: int, *words: Span) -> list[Line]:
    return laid((Paragraph(words, (Span(" "),), 1),), width)
