"""A finding as a page: what and where, why there, the evidence, what it brings, what to do and how to undo it.

The page of what is not advised: that it is not, the answer that decided, and only then what the rule is about.

A rule speaks in the indicative of what it looks for. Where that was not found, its words stand below a line that says
so: nobody may read 'write barriers are off' where they are on.
"""

from __future__ import annotations

from itertools import dropwhile
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, conjunction
from fsadvisor.pages.document import Block, Commands, Document, Gap, Heading, Paragraph, Prose, Remark, paragraph
from fsadvisor.pages.glyphs import UNICODE, Line, Span, Tone, cut, line, span
from fsadvisor.pages.screen import laid
from fsadvisor.pages.values import counted
from fsadvisor.report import finding_page as parts
from fsadvisor.report import rule_page, short_page
from fsadvisor.report.finding_page import FindingPage, advice
from fsadvisor.report.findings import Finding
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.tui.views import severity
from fsadvisor.tui.views.severity import weight
from fsadvisor.tui.views.snapshot import finding_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.facts import Truth
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Ask
    from fsadvisor.tui.views.snapshot import Snapshot


_HEADLINES: Final = {
    Outcome.OK: ("Checked, not found here", Tone.GOOD),
    Outcome.UNDETERMINED: ("Could not be told here", Tone.UNKNOWN),
    Outcome.NOT_APPLICABLE: ("Does not apply here", Tone.PLAIN),
}
_STATES: Final = {
    Outcome.OK: "So nothing is advised. What decided comes first.",
    Outcome.UNDETERMINED: "It may be so, and may not: what is not known would decide it.",
    Outcome.NOT_APPLICABLE: "So nothing is advised. What decided comes first.",
}
_IF: Final = {
    Outcome.OK: "It is not so here. If it were, it would be a {what}, and fsadvisor would say",
    Outcome.UNDETERMINED: "It is not known to be so. If it is, it is a {what}, and fsadvisor says",
    Outcome.NOT_APPLICABLE: "It does not apply here. If it did, it could be a {what}, and fsadvisor would say",
}
_WHAT: Final = {"risk": "{} risk", "gain": "{} gain", "hygiene": "{} piece of hygiene"}


def siblings(snapshot: Snapshot, finding: Finding) -> list[str]:
    """The keys of all that the rule was asked of and does not advise, in rank order; this one is among them."""
    rule = finding.rule
    others = snapshot.verdicts.among(lambda one, outcome: one is rule and outcome not in CALLS_FOR_ACTION)
    return [f"{rule.id}\n{one.subject.id}" for one in others]


def blocks(snapshot: Snapshot, page: FindingPage) -> Iterator[Block]:
    """The half of the page that says why."""
    finding = page.finding
    yield from _head(snapshot, finding)
    yield Gap()
    first, others = _decided(finding)
    if first:
        yield Heading(_title(finding.outcome, len(first)))
        yield page.answers(first)
        yield Gap()
    if others:
        yield Heading("All else that it asks is so here" if _hangs_on_one(finding) else "What else was asked")
        yield page.answers(others)
        yield Gap()
    yield Heading(f"{_IF[finding.outcome].format(what=_what(finding))}:")
    yield Prose(finding.rule.why)
    yield from page.brings("What it would bring")


def _head(snapshot: Snapshot, finding: Finding) -> Iterator[Block]:
    words, tone = _HEADLINES[finding.outcome]
    if _hangs_on_one(finding):
        words, tone = f"Not so here, or it would be a {_what(finding)}", Tone.WARNING
    yield paragraph(span(f"{words.upper()}: ", tone), finding.title, indent=2)
    every = siblings(snapshot, finding)
    where: tuple[Span, ...] = (span(parts.where(finding), Tone.STRONG),)
    key = f"{finding.rule.id}\n{finding.verdicts[0].subject.id}"
    if len(every) > 1 and key in every:
        number = every.index(key) + 1
        of = span(f" ({number:,} of {counted(len(every), finding.rule.subject)}", Tone.DIM)
        more = (span(", ", Tone.DIM), span("]", Tone.KEY), span(" next", Tone.DIM)) if number < len(every) else ()
        where = (*where, of, *more, span(")", Tone.DIM))
    yield Remark(line("On ", *where))
    yield Remark(line(span(_STATES[finding.outcome], Tone.STRONG)))


def _decided(finding: Finding) -> tuple[list[tuple[Ask, Truth]], list[tuple[Ask, Truth]]]:
    """What decided, and what else was asked: of what could not be told, what is not known."""
    asked = list(finding.answers())
    deciding = UNKNOWN if finding.outcome is Outcome.UNDETERMINED else FALSE
    part = ("applies",) if finding.outcome is Outcome.NOT_APPLICABLE else ("applies", "checks")
    first = [pair for pair in asked if pair[1] is deciding and pair[0].part in part]
    return first, [pair for pair in asked if pair not in first]


def _title(outcome: Outcome, number: int) -> str:
    if outcome is Outcome.UNDETERMINED:
        return "What is not known"
    return "The answer that decided" if number == 1 else "The answers that decided"


def _hangs_on_one(finding: Finding) -> bool:
    """Whether one answer alone keeps away a finding of which more is so than that it applies; nothing is unknown."""
    rule, scope = finding.rule, finding.verdicts[0].subject.scope
    truths = [ask.expression.evaluate(scope) for ask in rule.conditions]
    more = any(ask.expression.evaluate(scope) is TRUE for ask in rule.checks)
    alone = truths.count(FALSE) == 1 and truths.count(TRUE) == len(truths) - 1
    return finding.outcome is Outcome.OK and alone and more


def _what(finding: Finding) -> str:
    return _WHAT[finding.rule.kind].format(finding.rule.severity)


_WITH_COMMANDS: Final = 10
"""Subjects whose commands are shown; those of all can be copied."""

_IN: Final = (Span("  "),)
_NAMED_BELOW: Final = " (s lists them)"


class Page(Struct, frozen=True, kw_only=True):
    """Two halves that stand side by side where there is room, else what to do before the proof; and what is copied."""

    title: str
    why: tuple[Block, ...]
    proof: tuple[Block, ...]
    todo: tuple[Block, ...]
    undo: tuple[str, ...]

    @property
    def left(self) -> Document:
        """Where there is room for two."""
        return Document(self.title, (*self.why, *self.proof))

    @property
    def right(self) -> Document:
        """The right column: what to do."""
        return Document(self.title, self.todo)

    @property
    def whole(self) -> Document:
        """Where there is room for one."""
        return Document(self.title, (*self.why, Gap(), *self.todo, *self.proof))


def found(snapshot: Snapshot, key: str) -> Finding | None:
    """The finding of that key; where it has gone, what its rule says of its subject now; None where that says nothing.

    Grouped with others, a finding is known by another subject: it is the same one.
    """
    rule, _, subject = key.partition("\n")
    same = [one for one in snapshot.findings if one.rule.id == rule]
    for finding in same:
        if finding_key(finding) == key:
            return finding
    for finding in same:
        if any(seen.id == subject for seen in finding.subjects):
            return finding
    verdict = next((one for one in snapshot.verdicts_on(subject) if one.rule.id == rule), None)
    return None if verdict is None else alone(verdict)


def alone(verdict: Verdict) -> Finding:
    """A finding of one verdict, whatever it says."""
    truths = tuple(answer.truth for answer in verdict.answers())
    return Finding(verdict.rule, verdict.outcome, truths, [verdict])


def beside(snapshot: Snapshot, key: str, by: int) -> str | None:
    """The key of the next finding or the one before; where nothing is advised, of the rule's next subject."""
    here = found(snapshot, key)
    if here is None:
        return finding_key(snapshot.findings[0]) if snapshot.findings else None
    every = [finding_key(one) for one in snapshot.findings]
    if here.outcome not in CALLS_FOR_ACTION:
        every, key = siblings(snapshot, here), f"{here.rule.id}\n{here.verdicts[0].subject.id}"
    else:
        key = finding_key(here)
    there = every.index(key) + by if key in every else -1
    return every[there] if 0 <= there < len(every) else None


def page(snapshot: Snapshot, key: str, glyphs: Glyphs, *, chosen: int = 0) -> Page:
    """The page of that key as of this snapshot; for so many of its subjects it was chosen for the plan."""
    finding = found(snapshot, key)
    if finding is None:
        return Page(title=key, why=tuple(_gone(snapshot, key)), proof=(), todo=(), undo=())
    writing = ExplorerFindingPage(snapshot, finding, glyphs, chosen=chosen)
    return Page(
        title=key,
        why=tuple(writing.why()),
        proof=tuple(writing.proof()),
        todo=tuple(dropwhile(lambda one: isinstance(one, Gap), writing.what_to_do())),
        undo=tuple(dict.fromkeys(parts.each(ready.undo for ready in writing.todo.ready))),
    )


def _gone(snapshot: Snapshot, key: str) -> Iterator[Block]:
    rule, _, subject = key.partition("\n")
    yield Heading("No longer there")
    yield Gap()
    known = snapshot.subjects.get(subject)
    what = f"The rule {rule} has nothing to say any more of" if known else f"{rule}:"
    where = f"{known.kind} {known.name}" if known else f"{subject} is not on this machine now"
    yield paragraph(f"{what} {where}, as of the look of this moment. Esc goes back.", first=_IN)


class ExplorerFindingPage(FindingPage):
    """The page with what is the explorer's own: the snapshot of the moment, and keys."""

    attest_key = "a"

    def __init__(self, snapshot: Snapshot, finding: Finding, glyphs: Glyphs, *, chosen: int) -> None:
        super().__init__(finding, _NAMED_BELOW)
        self._snapshot = snapshot
        self._glyphs = glyphs
        self._chosen = chosen

    def why(self) -> Iterator[Block]:
        """What is found, and why it matters."""
        if self.finding.outcome not in CALLS_FOR_ACTION:
            yield from blocks(self._snapshot, self)
            return
        yield from self._head()
        yield Gap()
        yield Prose(self.rule.why)

    def proof(self) -> Iterator[Block]:
        """What it brings, whether it is safe, and the evidence."""
        if self.finding.outcome in CALLS_FOR_ACTION:
            yield from self.brings()
            yield from self.safety()
            yield from self.evidence()

    def _head(self) -> Iterator[Block]:
        yield self.headline()
        yield from self.unlock()
        yield self.where()
        rank = self._place()
        urgent = f"{words}; " if (words := parts.urgency(self.finding)) else ""
        number = len(self._snapshot.findings)
        of = span(f"{urgent}{rank + 1} of {number}", Tone.DIM)
        more = (span(" (", Tone.DIM), span("]", Tone.KEY), span(" next)", Tone.DIM)) if rank + 1 < number else ()
        yield Remark((of, *more))
        if above := self._snapshot.below.get(finding_key(self.finding)):
            cause = self._snapshot.findings[above.number - 1]
            words = f"{above.words[:1].upper()}{above.words[1:]} {above.number}: "
            yield Remark(line(span(words, Tone.WARNING), cause.title, span(f" (:{cause.rule.id})", Tone.KEY)))
        yield from self.waived()
        yield Remark(tuple(self._state()))
        if self._chosen:
            number = len(self.finding.verdicts)
            part = "" if self._chosen == number else f" on {self._chosen:,} of {number:,}"
            yield Remark(line(span(f"{self._glyphs.chosen} Chosen for the plan{part}", Tone.GOOD)))

    def _place(self) -> int:
        return next((at for at, one in enumerate(self._snapshot.findings) if one is self.finding), 0)

    def _state(self) -> Iterator[Span]:
        """In a line: whether it is safe, and whether there are commands."""
        asked = self.asked_for_safety
        truth = conjunction(truth for _, truth in asked)
        if truth is not TRUE:
            if truth is UNKNOWN and severity.is_being_asked(self.finding):
                words = "Still being asked: what is not known yet decides whether commands are shown"
            else:
                words = parts.safety_title(asked)
            tone = Tone.BAD if truth is FALSE else Tone.UNKNOWN
            yield span(f"{self._glyphs.mark(truth)} {words}.", tone)
        elif self.todo.has_commands:
            now = parts.each(ready.now for ready in self.todo.ready)
            keep = (parts.file_and_line(kept)[1] for ready in self.todo.ready for kept in ready.keep)
            lines = {*now, *keep}
            needs = rule_page.NEEDS[self.rule.remedy.needs]
            words = f"{self._glyphs.tick} {'Safe to do' if asked else 'To do'}: {counted(len(lines), 'line')}, {needs}."
            yield from (span(words, Tone.GOOD), span(" "), span("y", Tone.KEY), span(" copies"))
            if any(ready.undo for ready in self.todo.ready):
                yield from (span(", "), span("u", Tone.KEY), span(" copies the undo"))
        else:
            yield span("To do by hand: there are no commands to copy.", Tone.STRONG)

    def what_to_do(self) -> Iterator[Block]:
        """What it takes, commands, undo, and who says so."""
        acts = self.finding.outcome in CALLS_FOR_ACTION
        needs = rule_page.NEEDS[self.rule.remedy.needs]
        if acts or self.rule.remedy.advice:
            yield Heading(f"What to do ({needs})" if acts else "What would be to do, if it were found")
        if self.rule.remedy.advice:
            yield Prose(advice(self.finding))
        if acts:
            yield from self._commands()
        yield from rule_page.guides(self.rule)
        yield from rule_page.references(self.rule)
        yield Gap()
        yield paragraph("Rule: ", span(self.rule.id, Tone.STRONG), "; ", span("R", Tone.KEY), " shows its page")

    def _commands(self) -> Iterator[Block]:
        for block in self.commands("Do now", self.todo.ready[:_WITH_COMMANDS]):
            yield block
            if isinstance(block, Commands) and (more := len(block.every) - len(block.lines)):
                words = span(f"and {more:,} lines more for the other subjects: ", Tone.DIM)
                yield Remark((words, span("y", Tone.KEY), span(" or "), span("w", Tone.KEY), span(" takes all")))
        yield from self.without_commands()
        if not self.todo.ready and not self.todo.unfit:
            why = self.finding.verdicts[0].instructions().no_commands
            yield from (Gap(), Remark(line(span("No commands are shown: ", Tone.WARNING), why)))


_NARROWEST: Final = 12


def beside_list(snapshot: Snapshot, key: str, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """Its title, what to do, whether that is safe, what it interrupts and how it is undone; then why."""
    here = found(snapshot, key)
    if here is None or columns < _NARROWEST:
        return
    title = Paragraph((span(here.title, Tone.STRONG),), (weight([here], glyphs), Span(" ")), 2)
    for one in laid((title, *short_page.beside(here)), columns, unicode=glyphs == UNICODE):
        yield cut(one, columns, glyphs.ellipsis)
