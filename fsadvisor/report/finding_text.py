"""One finding for people: what, where, why there, the evidence, what it brings, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.advise import reason
from fsadvisor.report.escape import clean
from fsadvisor.report.layout import counted, listed, paragraphs, wrapped
from fsadvisor.report.values import fact_text, full_name, short_name
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.truth import FALSE, TRUE, UNKNOWN, Truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.remedy import Instructions, Kept
    from fsadvisor.rulebook.rule import Ask
    from fsadvisor.rulebook.shape import Gain
    from fsadvisor.storage import Subject

SUBJECTS: Final = 10
"""Subjects that are named."""

_WITH_COMMANDS: Final = 3
"""Subjects whose commands are shown."""

_VALUES: Final = 3
"""Different values of a fact that are shown."""

MARKS: Final = {TRUE: "yes", FALSE: "no", UNKNOWN: "unknown"}

_IN_OPTIONS: Final = "To keep it, change the options in /etc/fstab or in the mount unit"

_UNDER_ASK: Final = " " * 13

NEEDS: Final = {
    "online": "no interruption",
    "remount": "needs a remount",
    "unmount": "needs an unmount",
    "reboot": "needs a reboot",
    "reformat": "needs a new format: all data must be restored",
    "hardware": "needs other hardware",
}


def headline(finding: Finding) -> str:
    """'critical risk', 'moderate gain, withheld'."""
    words = f"{finding.rule.severity} {finding.rule.kind}"
    return words if finding.outcome is Outcome.ADVISE else f"{words}, {finding.outcome.value}"


def where(finding: Finding) -> str:
    """The subjects, by name as far as there are few."""
    subjects = list(finding.subjects)
    if len(subjects) == 1:
        return full_name(subjects[0])
    return f"{counted(len(subjects), finding.rule.subject)}: {_named(subjects)}"


def _named(subjects: list[Subject]) -> str:
    names = [short_name(subject) for subject in subjects[:SUBJECTS]]
    if len(subjects) > SUBJECTS:
        names.append(f"{len(subjects) - SUBJECTS:,} more (--json has all)")
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
        if self._rule.gain and not self._told_in:
            yield from self._gain(self._rule.gain)
        yield from self._safety()
        yield from self._todo()
        if not self._told_in:
            yield from self._references()
        yield from self._section(f"Rule: {self._rule.id} (`fsadvisor explain {self._rule.id}`)")

    def _head(self) -> Iterator[str]:
        start = f"{self._number}. "
        yield from wrapped(f"{headline(self._finding).upper()}: {self._rule.title}", self._columns, start, "   ")
        yield from wrapped(f"On {where(self._finding)}", self._columns, "   ", "     ")
        place = "First" if self._number == 1 else "Here"
        yield from wrapped(f"{place} because: {reason(self._finding.verdicts[0])}", self._columns, "   ", "     ")

    def _section(self, title: str) -> Iterator[str]:
        yield "\n"
        yield from wrapped(title, self._columns, "   ", "     ")

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
            source = fact.source + (" and alike" if number > 1 and short_name(subject) in fact.source else "")
            text = fact_text(name, fact, source)
            if len(values) > 1:
                text = f"{short_name(subject)}{f' and {number - 1:,} more' if number > 1 else ''}: {text}"
            yield from wrapped(text, self._columns, _UNDER_ASK, _UNDER_ASK + "  ")
        if len(values) > _VALUES:
            yield from wrapped(f"{counted(len(values) - _VALUES, 'other value')} elsewhere", self._columns, _UNDER_ASK)

    def _gain(self, gain: Gain) -> Iterator[str]:
        yield from self._section(f"What it brings: {gain.metric} ({gain.basis})")
        for figure in gain.figures:
            yield from wrapped(figure.says, self._columns, "     - ")
            yield from wrapped(f"{figure.source}: {figure.conditions}", self._columns, "       ")
        if not gain.figures:
            yield from wrapped("No figure is known.", self._columns, "     ")
        if gain.believe:
            yield from wrapped(f"Believe: {gain.believe}", self._columns, "     ")
        if gain.measure:
            yield from wrapped(f"The probe {gain.measure} would measure it here.", self._columns, "     ")

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
        yield from self._commands(f"Do now ({NEEDS[self._rule.remedy.needs]})", _each(todo.now for todo in shown))
        yield from self._keep(shown)
        yield from self._commands("Check", _each(todo.verify for todo in shown))
        yield from self._commands("Undo", _each(todo.undo for todo in shown))

    def _commands(self, title: str, commands: list[str]) -> Iterator[str]:
        if commands:
            yield from self._section(title)
            yield from (f"     {clean(command, None)}\n" for command in commands)

    def _keep(self, shown: list[Instructions]) -> Iterator[str]:
        """Lines for the same file stand together."""
        files: dict[str, list[str]] = {}
        for kept in dict.fromkeys(kept for todo in shown for kept in todo.keep):
            if kept.file:
                files.setdefault(kept.file, []).append(kept.line)
            else:
                files.setdefault("", []).append(_options(kept))
        for file, lines in files.items():
            yield from self._section(f"To keep it, put into {clean(file)}" if file else _IN_OPTIONS)
            yield from (f"     {clean(line, None)}\n" for line in dict.fromkeys(lines))

    def _references(self) -> Iterator[str]:
        yield from self._section("References")
        for reference in self._rule.references:
            yield f"     {clean(reference.url, None)}\n"
            yield from wrapped(reference.says, self._columns, "       ")


def _each(commands: Iterable[tuple[str, ...]]) -> list[str]:
    return list(dict.fromkeys(command for some in commands for command in some))


def _options(kept: Kept) -> str:
    changes = [
        f"{verb} {', '.join(options)}" for verb, options in (("add", kept.add), ("remove", kept.remove)) if options
    ]
    return f"{clean(kept.mount, None)}: {'; '.join(changes)}"
