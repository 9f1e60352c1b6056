"""One finding for people: what, where, why there, the evidence, what it brings, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.text import counted, paragraphs, wrapped
from fsadvisor.pages.values import told
from fsadvisor.report import finding_parts as parts
from fsadvisor.report import guides, rule_text
from fsadvisor.rulebook.tables import errata

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.remedy import Instructions
    from fsadvisor.rulebook.rule import Ask
    from fsadvisor.truth import Truth

_WITH_COMMANDS: Final = 3
"""Subjects whose commands are shown."""

_UNDER_ASK: Final = " " * 13


class FindingText:
    """Writes one finding in so many columns; `told_in` is the finding that has told of this rule already."""

    def __init__(self, finding: Finding, number: int, columns: int, told_in: int | None) -> None:
        self._finding = finding
        self._rule = finding.rule
        self._number = number
        self._columns = columns
        self._told_in = told_in
        self._values = parts.Values(finding)
        self._told: set[str] = set()

    def lines(self) -> Iterator[str]:
        """The whole of it."""
        yield from self._head()
        yield "\n"
        if self._told_in:
            yield from wrapped(f"Why, what it brings and references: see {self._told_in}.", self._columns, "   ")
        else:
            yield from paragraphs(self._rule.why, self._columns, "   ")
        yield from self._asks("Evidence", parts.evidence(self._finding))
        gain = self._finding.verdicts[0].gain()
        if gain and not (self._told_in and gain is self._rule.gain):
            yield from rule_text.gain(gain, self._columns)
        yield from self._safety()
        yield from self._todo()
        for title, lines in parts.folded(self._finding):
            yield from self._section(title)
            for line in lines:
                yield from wrapped(line, self._columns, "     - ", "       ")
        if not self._told_in:
            yield from rule_text.references(self._rule.references, self._columns)
        if self._rule.errata and not self._told_in:
            yield from self._section(guides.TITLE)
            yield from rule_text.errata((errata()[number] for number in self._rule.errata), self._columns)
        yield from self._section(f"Rule: {self._rule.id} (`fsadvisor explain {self._rule.id}`)")

    def _head(self) -> Iterator[str]:
        start = f"{self._number}. "
        yield from wrapped(f"{parts.headline(self._finding).upper()}: {self._rule.title}", self._columns, start, "   ")
        yield from wrapped(f"On {parts.where(self._finding)}", self._columns, "   ", "     ")
        words = parts.because(self._finding, first=self._number == 1)
        yield from wrapped(words, self._columns, "   ", "     ")
        if words := parts.waived(self._finding):
            yield from wrapped(words, self._columns, "   ", "     ")

    def _section(self, title: str) -> Iterator[str]:
        return rule_text.section(title, self._columns)

    def _asks(self, title: str, asked: Iterable[tuple[Ask, Truth]]) -> Iterator[str]:
        yield from self._section(title)
        for ask, truth in asked:
            yield from wrapped(ask.ask, self._columns, f"     {parts.MARKS[truth]:<7} ", _UNDER_ASK)
            for name in ask.expression.names:
                if name not in self._told:
                    self._told.add(name)
                    yield from self._fact(name)

    def _fact(self, name: str) -> Iterator[str]:
        """Each value once, with the subject that has it where not all are alike."""
        values, others = self._values.of(name)
        for value in values:
            text = told(name, value.fact, value.source)
            if value.of:
                text = f"{value.of}: {text}"
            yield from wrapped(text, self._columns, _UNDER_ASK, _UNDER_ASK + "  ")
        if others:
            yield from wrapped(f"{counted(others, 'other value')} elsewhere", self._columns, _UNDER_ASK)

    def _safety(self) -> Iterator[str]:
        """Open questions first."""
        if asked := parts.safety(self._finding):
            yield from self._asks(parts.safety_title(asked), asked)

    def _todo(self) -> Iterator[str]:
        todo = parts.todo(self._finding)
        yield from self._what_to_do(todo.ready[:_WITH_COMMANDS])
        if len(todo.ready) > _WITH_COMMANDS and todo.has_commands:
            yield from self._section(
                f"The same for {len(todo.ready) - _WITH_COMMANDS:,} more: --json has their commands"
            )
        for words, subjects in todo.unfit.items():
            yield from self._section(f"No commands for {parts.named(subjects)}: {words}")
        if self._rule.remedy.advice and not self._told_in:
            yield from self._section("Note")
            yield from paragraphs(self._rule.remedy.advice, self._columns, "     ")

    def _what_to_do(self, shown: list[Instructions]) -> Iterator[str]:
        needs = rule_text.NEEDS[self._rule.remedy.needs]
        yield from rule_text.commands(f"Do now ({needs})", parts.each(todo.now for todo in shown), self._columns)
        yield from rule_text.keep((parts.kept(kept) for todo in shown for kept in todo.keep), self._columns)
        yield from rule_text.commands("Check", parts.each(todo.verify for todo in shown), self._columns)
        yield from rule_text.commands("Undo", parts.each(todo.undo for todo in shown), self._columns)
