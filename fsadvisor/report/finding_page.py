"""The page of a finding: what, where, why there, the evidence, what it brings, what to do and how to undo it.

A finding's advice, with this machine's names in its commands, and what it interrupts.

On several subjects the words stay.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec import Struct

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, Known, Truth
from fsadvisor.pages.document import (
    Answer,
    Commands,
    Evidence,
    Fold,
    Gap,
    Item,
    Paragraph,
    Prose,
    Remark,
    TitleLine,
    Value,
)
from fsadvisor.pages.glyphs import Span, Tone, clean, line, span
from fsadvisor.pages.values import counted, full_name, listed, quoted, short_name
from fsadvisor.plan.commands import with_names, with_waiver
from fsadvisor.report import findings, rule_page
from fsadvisor.report.rule_page import NEEDS, part
from fsadvisor.rulebook.ranking import ORDER, REST, SICK
from fsadvisor.rulebook.remedy import advice_for, needs_for, ways_for
from fsadvisor.rulebook.rule import SAID, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.pages.document import Block
    from fsadvisor.report.findings import Finding, FoldedBelow
    from fsadvisor.rulebook.remedy import Instructions, OtherWay
    from fsadvisor.rulebook.rule import Ask
    from fsadvisor.rulebook.shape import Gain, Keep
    from fsadvisor.storage import Subject


def ways(finding: Finding) -> list[OtherWay]:
    """Those parts of the remedy that are for its subjects."""
    return ways_for(finding.rule.remedy, [subject.scope for subject in finding.subjects])


def page(finding: Finding) -> str:
    """The address that says so: of the way that is for its subjects, or the rule's first."""
    return next((way.page for way in ways(finding) if way.page), finding.rule.references[0].url)


def needs(finding: Finding) -> str:
    """What it interrupts, in words."""
    return NEEDS[needs_for(finding.rule.remedy, [subject.scope for subject in finding.subjects])]


def advice(finding: Finding) -> str:
    """What to do, in the rule's words."""
    text = advice_for(finding.rule.remedy, [subject.scope for subject in finding.subjects])
    named = with_names if len(finding.verdicts) == 1 else with_waiver
    return named(text, finding.rule.id, finding.verdicts[0].subject)


SUBJECTS: Final = 10
"""Subjects that are named."""

_POINTS: Final = 4
"""Mount points that are named."""

_OPEN_FIRST: Final = (FALSE, UNKNOWN, TRUE)
IN_JSON: Final = " (--json has all)"
"""Where those stand of many subjects that are not named."""


def headline(finding: Finding) -> str:
    """'critical risk', 'moderate gain, safety not known'."""
    words = f"{finding.rule.severity} {finding.rule.kind}"
    if finding.outcome is not Outcome.ADVISE:
        words = f"{words}, {SAID[finding.outcome]}"
    return f"{words}, waived" if finding.waiver else words


def where(finding: Finding, most: int = SUBJECTS, all_are: str = IN_JSON) -> str:
    """The subjects, by name as far as there are few; `all_are` says where to find those that are not named."""
    subjects = list(finding.subjects)
    stands = _what_stands(subjects) if finding.rule.urgency in SICK else ""
    if len(subjects) == 1:
        return full_name(subjects[0]) + stands
    return f"{counted(len(subjects), finding.rule.subject)}: {subjects_named(subjects, most, all_are)}{stands}"


def _what_stands(subjects: Sequence[Subject]) -> str:
    """'; /srv and / stand on it', where the disks tell."""
    facts = (getattr(subject.scope.get("disk"), "mount_points", None) for subject in subjects if subject.kind == "disk")
    points = list(dict.fromkeys(point for fact in facts if isinstance(fact, Known) for point in fact.value))
    if not points:
        return ""
    names = [quoted(point) for point in points[:_POINTS]]
    if len(points) > _POINTS:
        names.append(f"{len(points) - _POINTS:,} more")
    return f"; {listed(names)} {'stands' if len(points) == 1 else 'stand'} on {'it' if len(subjects) == 1 else 'them'}"


def subjects_named(subjects: Sequence[Subject], most: int = SUBJECTS, all_are: str = IN_JSON) -> str:
    """'sda, sdb and 5 more'."""
    names = [short_name(subject) for subject in subjects[:most]]
    if len(subjects) > most:
        names.append(f"{len(subjects) - most:,} more{all_are}")
    return listed(names)


def waived(finding: Finding) -> str:
    """Who accepted it, until when and why; '' where nobody did."""
    waiver = finding.waiver
    if waiver is None:
        return ""
    return f"Waived by {waiver.by} on {waiver.on} until {waiver.until}: {waiver.because} {waiver.link}"


def folded(finding: Finding) -> Iterator[tuple[str, list[str]]]:
    """(title, lines) of what stands below a finding: what follows from it, and what waits until it is repaired."""
    for title, below in (
        ("Related, as cause or consequence", finding.consequences),
        ("Only after it is repaired", finding.waiting),
    ):
        if below:
            yield title, [in_one_line(one) for one in below]


def in_one_line(finding: Finding) -> str:
    """A finding in one line: what, where, and the rule to read about it."""
    title = finding.title
    if title != finding.rule.title:
        return f"{finding.rule.id}: {title}"
    return f"{finding.rule.id} on {subjects_named(list(finding.subjects), 3, '')}: {title}"


def evidence(finding: Finding) -> list[tuple[Ask, Truth]]:
    """What decided that there is a finding."""
    return [pair for pair in finding.answers() if pair[0].part != "safety"]


def safety(finding: Finding) -> list[tuple[Ask, Truth]]:
    """What must be yes before commands are shown: open questions first."""
    asked = [pair for pair in finding.answers() if pair[0].part == "safety"]
    return sorted(asked, key=lambda pair: _OPEN_FIRST.index(pair[1]))


def safety_title(asked: Iterable[tuple[Ask, Truth]]) -> str:
    """What the answers come to."""
    truths = {truth for _, truth in asked}
    if FALSE in truths:
        return "No commands are shown, because not all is safe"
    if UNKNOWN in truths:
        return "First prove what is not known here; until then no commands are shown"
    return "Safe to do"


class Todo(Struct, frozen=True):
    """What to do about a finding: `ready` for the subjects that have commands; why others have none."""

    ready: list[Instructions]
    unfit: dict[str, list[Subject]]
    """The reason, where it is no open question, and the subjects."""

    @property
    def has_commands(self) -> bool:
        """Whether there is something to paste or to put into a file."""
        return bool(self.ready and (self.ready[0].now or self.ready[0].keep))


def todo(finding: Finding) -> Todo:
    """For all of its subjects, whose answers are the same: one open question leaves none with commands."""
    ready: list[Instructions] = []
    unfit: dict[str, list[Subject]] = {}
    if finding.verdicts[0].open_answers():
        return Todo(ready, unfit)
    for verdict in finding.verdicts:
        instructions = verdict.instructions()
        if not instructions.no_commands:
            ready.append(instructions)
        else:
            unfit.setdefault(instructions.no_commands, []).append(verdict.subject)
    return Todo(ready, unfit)


def each(commands: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The commands of several subjects, one after the other."""
    return (command for some in commands for command in some)


def file_and_line(kept: Keep) -> tuple[str, str]:
    """The file and its line, which are printable as commands are; '' and words where mount options change."""
    if kept.file:
        return kept.file, kept.line
    return "", clean(rule_page.options(kept.mount, kept.add, kept.remove), None)


_WITH_COMMANDS: Final = 3
"""Subjects whose commands are shown where nobody can unfold the others."""

_TONES: Final = {"critical": Tone.BAD, "high": Tone.BAD, "moderate": Tone.WARNING}


def document(
    finding: Finding, number: int, told_in: int | None, all_are: str = IN_JSON, *, behind: Block | None = None
) -> Iterator[Block]:
    """The whole page; `told_in` is the finding that has told of this rule already, `behind` what it stands below.

    `all_are` says where those stand of many subjects that are not named. What guides say is told by `explain` alone.
    """
    rule, page = finding.rule, FindingPage(finding, all_are)
    yield page.headline(number)
    yield from page.unlock()
    yield page.where()
    yield from page.all_subjects()
    if urgent := urgency(finding):
        yield Remark(line(span(urgent, Tone.DIM)))
    if behind:
        yield behind
    yield from page.waived()
    yield Gap()
    if told_in:
        see = span(f"{told_in}", link=f"#finding-{told_in}")
        yield Paragraph(line("Why, what it brings and references: see ", see, "."), (Span("   "),), 3)
    else:
        yield Prose(rule.why)
    yield from page.safety()
    yield from page.to_do()
    if rule.remedy.advice and not told_in:
        yield from part("Note", Prose(advice(finding)))
    if not (told_in and page.gain is rule.gain):
        yield from page.brings()
    yield from page.evidence()
    yield from page.folded()
    if not told_in:
        yield from rule_page.references(rule)
    yield Gap()
    yield Remark(line(f"Rule: {rule.id} (`fsadvisor explain {rule.id}`)"))


def stands_behind(
    finding: Finding, findings: Sequence[Finding], folded: Mapping[tuple[str, str], FoldedBelow]
) -> Remark | None:
    """'Follows from 1: its title', of what is folded below another finding; `folded` has those of `findings`."""
    above = folded.get((finding.rule.id, finding.verdicts[0].subject.id))
    if above is None:
        return None
    number = span(f"{above.number}", Tone.STRONG, link=f"#finding-{above.number}")
    words = f"{above.words[:1].upper()}{above.words[1:]} "
    return Remark(line(span(words, Tone.WARNING), number, f": {findings[above.number - 1].title}"))


def urgency(finding: Finding) -> str:
    """What is urgent about it, '' where nothing is."""
    words = "" if finding.urgency == REST else ORDER[finding.urgency]
    return words[:1].upper() + words[1:]


class FindingPage:
    """The parts of the page; a fact is told once, by the part that is asked first."""

    attest_key: ClassVar[str] = ""
    """What opens the form for what only people know, where there is one."""

    def __init__(self, finding: Finding, all_are: str = IN_JSON) -> None:
        self.todo = todo(finding)
        self.gain: Gain | None = finding.verdicts[0].gain()
        self.asked_for_safety = safety(finding)
        self.finding = finding
        self.rule = finding.rule
        self._all_are = all_are
        self._facts = finding.facts
        self._told: set[str] = set()

    def headline(self, number: int = 0) -> TitleLine:
        """How grave, of which kind, and the rule's title."""
        severity = self.rule.severity
        tone = _TONES.get(severity, Tone.PLAIN)
        return TitleLine(span(headline(self.finding), tone), self.finding.title, number, severity)

    def unlock(self) -> Iterator[Block]:
        """Where it is held back: the one question or command that comes first."""
        if words := findings.unlocks(self.finding, key=self.attest_key):
            yield Remark(line(span("To unlock", Tone.STRONG), f": {words}"))

    def where(self) -> Remark:
        """On what."""
        return Remark(line("On ", span(where(self.finding, all_are=self._all_are), Tone.STRONG)))

    def all_subjects(self) -> Iterator[Block]:
        """All of them by name, where there are too many to name them in a line."""
        yield from _names(list(self.finding.subjects))

    def waived(self) -> Iterator[Block]:
        """Who accepted it, if anybody did."""
        if words := waived(self.finding):
            yield Remark(line(span(words, Tone.WARNING)))

    def evidence(self) -> Iterator[Block]:
        """What decided that there is a finding."""
        return part("Evidence", self.answers(evidence(self.finding)))

    def safety(self) -> Iterator[Block]:
        """What must be yes before commands are shown: open questions first."""
        if asked := self.asked_for_safety:
            yield from part(safety_title(asked), self.answers(asked, judged=True))

    def answers(self, asked: Iterable[tuple[Ask, Truth]], *, judged: bool = False) -> Evidence:
        """Questions and answers with the facts that no part has told yet."""
        return Evidence(tuple(self._answer(ask, truth) for ask, truth in asked), judged)

    def _answer(self, ask: Ask, truth: Truth) -> Answer:
        new = [name for name in ask.expression.names if name not in self._told]
        self._told.update(new)
        return Answer(truth, ask.ask, ask.expression.text, tuple((name, self._values(name)) for name in new))

    def _values(self, name: str) -> tuple[Value, ...]:
        values = list(self._facts[name].values())
        return tuple(_value(one, alone=len(values) == 1) for one in values)

    def brings(self, title: str = "What it brings") -> Iterator[Block]:
        """What gets better, with every figure."""
        if self.gain:
            yield from part(f"{title}: {self.gain.metric} ({self.gain.basis})", rule_page.figures(self.gain))

    def to_do(self) -> Iterator[Block]:
        """Commands for the first subjects, and for whom there are none, and why."""
        now = f"Do now ({rule_page.NEEDS[self.rule.remedy.needs]})"
        ready = self.todo.ready
        yield from self.commands(now, ready[:_WITH_COMMANDS])
        if len(ready) > _WITH_COMMANDS and self.todo.has_commands:
            summary = f"The same for {len(ready) - _WITH_COMMANDS:,} more"
            rest = partial(self.commands, now, ready[_WITH_COMMANDS:])
            yield Gap()
            yield Fold(summary, rest, "--json has their commands")
        yield from self.without_commands()

    def folded(self) -> Iterator[Block]:
        """What follows from it, and what waits until it is repaired."""
        for title, lines in folded(self.finding):
            yield from part(title, *(Item(line(words)) for words in lines))

    def commands(self, now: str, shown: Sequence[Instructions]) -> Iterator[Block]:
        """What to run, to keep, to check and to undo, for these; whoever copies gets it for all."""
        ready = self.todo.ready
        yield from _commands(now, (one.now for one in shown), (one.now for one in ready))
        every = dict(_by_file(ready))
        for title, lines in _by_file(shown):
            yield from _commands(title, [lines], [every[title]])
        yield from _commands("Check", (one.verify for one in shown), (one.verify for one in ready))
        yield from _commands("Undo", (one.undo for one in shown), (one.undo for one in ready))

    def without_commands(self) -> Iterator[Block]:
        """Why there are no commands, where no ask says it."""
        for words, subjects in self.todo.unfit.items():
            yield Gap()
            named = subjects_named(subjects, all_are=self._all_are)
            yield Remark(line(span("No commands", Tone.WARNING), f" for {named}: {words}"))
            yield from _names(subjects)


def _names(subjects: Sequence[Subject]) -> Iterator[Block]:
    if len(subjects) > SUBJECTS:
        yield Fold(f"All {len(subjects):,}", lambda: [Remark(line(listed([short_name(one) for one in subjects])))])


def _value(one: tuple[Subject, Fact[Any], int], *, alone: bool) -> Value:
    subject, fact, number = one
    more = f" and {number - 1:,} more" if number > 1 else ""
    return Value("" if alone else f"{short_name(subject)}{more}", fact)


def _commands(title: str, shown: Iterable[tuple[str, ...]], every: Iterable[tuple[str, ...]]) -> Iterator[Block]:
    """The lines of several subjects, one after the other, each once."""
    lines, all_lines = (tuple(dict.fromkeys(each(some))) for some in (shown, every))
    if lines:
        yield from part(title, Commands(lines, name=title[0].lower() + title[1:], every=all_lines))


def _by_file(instructions: Sequence[Instructions]) -> Iterator[tuple[str, tuple[str, ...]]]:
    return rule_page.by_file(file_and_line(kept) for one in instructions for kept in one.keep)
