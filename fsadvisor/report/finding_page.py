"""The page of a finding: what, where, why there, the evidence, what it brings, what to do and how to undo it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.pages.document import (
    Answer,
    Commands,
    Evidence,
    Fold,
    Gap,
    Headline,
    Item,
    Paragraph,
    Prose,
    Remark,
    Value,
)
from fsadvisor.pages.spans import Span, Tone, line, span
from fsadvisor.pages.text import listed
from fsadvisor.pages.values import short_name
from fsadvisor.report import finding_parts as parts
from fsadvisor.report import rule_words, unlock
from fsadvisor.report.rule_words import part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.pages.document import Block
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.remedy import Instructions
    from fsadvisor.rulebook.rule import Ask
    from fsadvisor.rulebook.shape import Gain
    from fsadvisor.storage import Subject
    from fsadvisor.truth import Truth

_WITH_COMMANDS: Final = 3
"""Subjects whose commands are shown where nobody can unfold the others."""

_TONES: Final = {"critical": Tone.BAD, "high": Tone.BAD, "moderate": Tone.WARNING}


def document(finding: Finding, number: int, told_in: int | None, all_are: str = parts.IN_JSON) -> Iterator[Block]:
    """The whole page; `told_in` is the finding that has told of this rule already.

    `all_are` says where those stand of many subjects that are not named.
    """
    rule, page = finding.rule, FindingPage(finding, all_are)
    yield page.headline(number)
    yield from page.unlock()
    yield page.where()
    yield from page.all_subjects()
    yield page.because(first=number == 1)
    yield from page.waived()
    yield Gap()
    if told_in:
        see = span(f"{told_in}", link=f"#finding-{told_in}")
        yield Paragraph(line("Why, what it brings and references: see ", see, "."), (Span("   "),), 3)
    else:
        yield Prose(rule.why)
    yield from page.evidence()
    if not (told_in and page.gain is rule.gain):
        yield from page.brings()
    yield from page.safety()
    yield from page.to_do()
    if rule.remedy.advice and not told_in:
        yield from part("Note", Prose(rule.remedy.advice))
    yield from page.folded()
    if not told_in:
        yield from rule_words.references(rule)
        yield from rule_words.guides(rule)
    yield Gap()
    yield Remark(line(f"Rule: {rule.id} (`fsadvisor explain {rule.id}`)"))


class FindingPage:
    """The parts of the page; a fact is told once, by the part that is asked first."""

    def __init__(self, finding: Finding, all_are: str = parts.IN_JSON) -> None:
        self.todo = parts.todo(finding)
        self.gain: Gain | None = finding.verdicts[0].gain()
        self.asked_for_safety = parts.safety(finding)
        self.finding = finding
        self.rule = finding.rule
        self._all_are = all_are
        self._facts = finding.facts()
        self._told: set[str] = set()

    def headline(self, number: int = 0) -> Headline:
        """How grave, of which kind, and the rule's title."""
        severity = self.rule.severity
        tone = _TONES.get(severity, Tone.PLAIN)
        return Headline(span(parts.headline(self.finding), tone), self.rule.title, number, severity)

    def unlock(self) -> Iterator[Block]:
        """Where it is held back: the one question or command that comes first."""
        if words := unlock.words(self.finding):
            yield Remark(line(span("To unlock", Tone.STRONG), f": {words}"))

    def where(self) -> Remark:
        """On what."""
        return Remark(line("On ", span(parts.where(self.finding, all_are=self._all_are), Tone.STRONG)))

    def all_subjects(self) -> Iterator[Block]:
        """All of them by name, where there are too many to name them in a line."""
        yield from _names(list(self.finding.subjects))

    def because(self, *, first: bool) -> Remark:
        """Why it stands where it does."""
        return Remark(line(span(parts.because(self.finding, first=first), Tone.DIM)))

    def waived(self) -> Iterator[Block]:
        """Who accepted it, if anybody did."""
        if words := parts.waived(self.finding):
            yield Remark(line(span(words, Tone.WARNING)))

    def evidence(self) -> Iterator[Block]:
        """What decided that there is a finding."""
        return part("Evidence", self.answers(parts.evidence(self.finding)))

    def safety(self) -> Iterator[Block]:
        """What must be yes before commands are shown: open questions first."""
        if asked := self.asked_for_safety:
            yield from part(parts.safety_title(asked), self.answers(asked, judged=True))

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
            yield from part(f"{title}: {self.gain.metric} ({self.gain.basis})", rule_words.figures(self.gain))

    def to_do(self) -> Iterator[Block]:
        """Commands for the first subjects, and for whom there are none, and why."""
        now = f"Do now ({rule_words.NEEDS[self.rule.remedy.needs]})"
        ready = self.todo.ready
        yield from self.commands(now, ready[:_WITH_COMMANDS])
        if len(ready) > _WITH_COMMANDS and self.todo.has_commands:
            summary = f"The same for {len(ready) - _WITH_COMMANDS:,} more"
            rest = partial(self.commands, now, ready[_WITH_COMMANDS:])
            yield Gap()
            yield Fold(summary, rest, "--json has their commands")
        yield from self.without_commands()

    def folded(self) -> Iterator[Block]:
        """What follows from it, and what waits until it is mended."""
        for title, lines in parts.folded(self.finding):
            yield from part(title, *(Item(line(words)) for words in lines))

    def commands(self, now: str, shown: Sequence[Instructions]) -> Iterator[Block]:
        """What to run, to keep, to check and to undo, for these; whoever copies gets it for all."""
        ready = self.todo.ready
        yield from _commands(now, (one.now for one in shown), (one.now for one in ready))
        every = dict(_kept(ready))
        for title, lines in _kept(shown):
            yield from _commands(title, [lines], [every[title]])
        yield from _commands("Check", (one.verify for one in shown), (one.verify for one in ready))
        yield from _commands("Undo", (one.undo for one in shown), (one.undo for one in ready))

    def without_commands(self) -> Iterator[Block]:
        """Why there are no commands, where no ask says it."""
        for words, subjects in self.todo.unfit.items():
            yield Gap()
            named = parts.named(subjects, all_are=self._all_are)
            yield Remark(line(span("No commands", Tone.WARNING), f" for {named}: {words}"))
            yield from _names(subjects)


def _names(subjects: Sequence[Subject]) -> Iterator[Block]:
    if len(subjects) > parts.SUBJECTS:
        yield Fold(f"All {len(subjects):,}", lambda: [Remark(line(listed([short_name(one) for one in subjects])))])


def _value(one: tuple[Subject, Fact[Any], int], *, alone: bool) -> Value:
    subject, fact, number = one
    source = fact.source + (" and alike" if number > 1 and subject.name in fact.source else "")
    more = f" and {number - 1:,} more" if number > 1 else ""
    return Value("" if alone else f"{short_name(subject)}{more}", fact, source)


def _commands(title: str, shown: Iterable[tuple[str, ...]], every: Iterable[tuple[str, ...]]) -> Iterator[Block]:
    """The lines of several subjects, one after the other, each once."""
    lines, all_lines = (tuple(dict.fromkeys(parts.each(some))) for some in (shown, every))
    if lines:
        yield from part(title, Commands(lines, name=title[0].lower() + title[1:], every=all_lines))


def _kept(instructions: Sequence[Instructions]) -> Iterator[tuple[str, tuple[str, ...]]]:
    return rule_words.by_file(parts.kept(kept) for one in instructions for kept in one.keep)
