"""One finding for people: what, where, why there, the evidence, what it brings, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.advise import reason
from fsadvisor.report import rule_text
from fsadvisor.report.layout import counted, listed, paragraphs, wrapped
from fsadvisor.report.values import full_name, short_name, told
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.rulebook.tables import errata
from fsadvisor.truth import FALSE, TRUE, UNKNOWN, Truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.remedy import Instructions, Kept
    from fsadvisor.rulebook.rule import Ask
    from fsadvisor.storage import Subject

SUBJECTS: Final = 10
"""Subjects that are named."""

_WITH_COMMANDS: Final = 3
"""Subjects whose commands are shown."""

_VALUES: Final = 3
"""Different values of a fact that are shown."""

MARKS: Final = {TRUE: "yes", FALSE: "no", UNKNOWN: "unknown"}

_UNDER_ASK: Final = " " * 13


def headline(finding: Finding) -> str:
    """'critical risk', 'moderate gain, withheld'."""
    words = f"{finding.rule.severity} {finding.rule.kind}"
    if finding.outcome is not Outcome.ADVISE:
        words = f"{words}, {finding.outcome.value}"
    return f"{words}, waived" if finding.waiver else words


def where(finding: Finding, most: int = SUBJECTS) -> str:
    """The subjects, by name as far as there are few."""
    subjects = list(finding.subjects)
    if len(subjects) == 1:
        return full_name(subjects[0])
    return f"{counted(len(subjects), finding.rule.subject)}: {_named(subjects, most)}"


def _named(subjects: list[Subject], most: int = SUBJECTS) -> str:
    names = [short_name(subject) for subject in subjects[:most]]
    if len(subjects) > most:
        names.append(f"{len(subjects) - most:,} more (--json has all)")
    return listed(names)


class FindingText:
    """Writes one finding in so many columns; `told_in` is the finding that has told of this rule already."""

    def __init__(self, finding: Finding, number: int, columns: int, told_in: int | None) -> None:
        self._finding = finding
        self._rule = finding.rule
        self._number = number
        self._columns = columns
        self._told_in = told_in
        self._facts = finding.facts()
        self._told: set[str] = set()

    def lines(self) -> Iterator[str]:
        """The whole of it."""
        yield from self._head()
        yield "\n"
        if self._told_in:
            yield from wrapped(f"Why, what it brings and references: see {self._told_in}.", self._columns, "   ")
        else:
            yield from paragraphs(self._rule.why, self._columns, "   ")
        yield from self._asks("Evidence", [pair for pair in self._finding.answers() if pair[0].part != "safety"])
        gain = self._finding.verdicts[0].gain()
        if gain and not (self._told_in and gain is self._rule.gain):
            yield from rule_text.gain(gain, self._columns)
        yield from self._safety()
        yield from self._todo()
        if not self._told_in:
            yield from rule_text.references(self._rule.references, self._columns)
        if self._rule.errata and not self._told_in:
            yield from self._section("What the seed documents say otherwise")
            yield from rule_text.errata((errata()[number] for number in self._rule.errata), self._columns)
        yield from self._section(f"Rule: {self._rule.id} (`fsadvisor explain {self._rule.id}`)")

    def _head(self) -> Iterator[str]:
        start = f"{self._number}. "
        yield from wrapped(f"{headline(self._finding).upper()}: {self._rule.title}", self._columns, start, "   ")
        yield from wrapped(f"On {where(self._finding)}", self._columns, "   ", "     ")
        place = "First" if self._number == 1 else "Here"
        yield from wrapped(f"{place} because: {reason(self._finding.verdicts[0])}", self._columns, "   ", "     ")
        if waiver := self._finding.waiver:
            words = f"Waived by {waiver.by} on {waiver.on} until {waiver.until}: {waiver.because} {waiver.link}"
            yield from wrapped(words, self._columns, "   ", "     ")

    def _section(self, title: str) -> Iterator[str]:
        return rule_text.section(title, self._columns)

    def _asks(self, title: str, asked: Iterable[tuple[Ask, Truth]]) -> Iterator[str]:
        yield from self._section(title)
        for ask, truth in asked:
            yield from wrapped(ask.ask, self._columns, f"     {MARKS[truth]:<7} ", _UNDER_ASK)
            for name in ask.expression.names:
                if name not in self._told:
                    self._told.add(name)
                    yield from self._fact(name)

    def _fact(self, name: str) -> Iterator[str]:
        """Each value once, with the subject that has it where not all are alike."""
        values = list(self._facts[name].values())
        for subject, fact, number in values[:_VALUES]:
            source = fact.source + (" and alike" if number > 1 and subject.name in fact.source else "")
            text = told(name, fact, source)
            if len(values) > 1:
                text = f"{short_name(subject)}{f' and {number - 1:,} more' if number > 1 else ''}: {text}"
            yield from wrapped(text, self._columns, _UNDER_ASK, _UNDER_ASK + "  ")
        if len(values) > _VALUES:
            yield from wrapped(f"{counted(len(values) - _VALUES, 'other value')} elsewhere", self._columns, _UNDER_ASK)

    def _safety(self) -> Iterator[str]:
        """Open questions first."""
        asked = [(ask, truth) for ask, truth in self._finding.answers() if ask.part == "safety"]
        if not asked:
            return
        truths = {truth for _, truth in asked}
        if FALSE in truths:
            title = "No commands are shown, because not all is safe"
        elif UNKNOWN in truths:
            title = "First prove what is not known here; until then no commands are shown"
        else:
            title = "Safe to do"
        yield from self._asks(title, sorted(asked, key=lambda pair: (FALSE, UNKNOWN, TRUE).index(pair[1])))

    def _todo(self) -> Iterator[str]:
        todo = [(verdict, verdict.instructions()) for verdict in self._finding.verdicts]
        shown = [instructions for _, instructions in todo if not instructions.no_commands]
        yield from self._what_to_do(shown[:_WITH_COMMANDS])
        if len(shown) > _WITH_COMMANDS and (shown[0].now or shown[0].keep):
            yield from self._section(f"The same for {len(shown) - _WITH_COMMANDS:,} more: --json has their commands")
        unfit: dict[str, list[Subject]] = {}
        for verdict, instructions in todo:
            if instructions.no_commands and not verdict.open_answers():
                unfit.setdefault(instructions.no_commands, []).append(verdict.subject)
        for words, subjects in unfit.items():
            yield from self._section(f"No commands for {_named(subjects)}: {words}")
        if self._rule.remedy.advice and not self._told_in:
            yield from self._section("Note")
            yield from paragraphs(self._rule.remedy.advice, self._columns, "     ")

    def _what_to_do(self, shown: list[Instructions]) -> Iterator[str]:
        needs = rule_text.NEEDS[self._rule.remedy.needs]
        yield from rule_text.commands(f"Do now ({needs})", _each(todo.now for todo in shown), self._columns)
        yield from rule_text.keep((_kept(kept) for todo in shown for kept in todo.keep), self._columns)
        yield from rule_text.commands("Check", _each(todo.verify for todo in shown), self._columns)
        yield from rule_text.commands("Undo", _each(todo.undo for todo in shown), self._columns)


def _each(commands: Iterable[tuple[str, ...]]) -> Iterator[str]:
    return (command for some in commands for command in some)


def _kept(kept: Kept) -> tuple[str, str]:
    return kept.file, kept.line if kept.file else rule_text.options(kept.mount, kept.add, kept.remove)
