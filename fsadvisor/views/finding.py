"""A finding as a page: what and where, why there, the evidence, what it brings, what to do and how to undo it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Block, Commands, Document, Gap, Heading, paragraph
from fsadvisor.pages.spans import Span, Tone, span
from fsadvisor.pages.text import counted
from fsadvisor.report import finding_parts as parts
from fsadvisor.report import guides, rule_text
from fsadvisor.report.findings import Finding
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION
from fsadvisor.rulebook.tables import errata
from fsadvisor.truth import FALSE, TRUE, UNKNOWN, conjunction
from fsadvisor.views import figures, not_advised, severity
from fsadvisor.views.evidence import Checklist
from fsadvisor.views.look import finding_key
from fsadvisor.views.prose import prose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.advise import Verdict
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.rulebook.remedy import Kept
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.views.look import Look

_WITH_COMMANDS: Final = 10
"""Subjects whose commands are shown; those of all can be copied."""

_IN: Final = (Span("  "),)
_NAMED_BELOW: Final = " (s lists them)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Two halves that stand side by side where there is room, else one below the other; and what can be copied."""

    title: str
    why: tuple[Block, ...]
    todo: tuple[Block, ...]
    undo: tuple[str, ...]

    @property
    def left(self) -> Document:
        """Where there is room for two."""
        return Document(self.title, self.why)

    @property
    def right(self) -> Document:
        """Beside it."""
        return Document(self.title, self.todo)

    @property
    def whole(self) -> Document:
        """Where there is room for one."""
        return Document(self.title, (*self.why, Gap(), *self.todo))


def found(look: Look, key: str) -> Finding | None:
    """The finding of that key; where it has gone, what its rule says of its subject now; None where that says nothing.

    Grouped with others, a finding is known by another subject: it is the same one.
    """
    rule, _, subject = key.partition("\n")
    same = [one for one in look.findings if one.rule.id == rule]
    for one in same:
        if finding_key(one) == key:
            return one
    for one in same:
        if any(seen.id == subject for seen in one.subjects):
            return one
    verdict = next((one for one in look.verdicts_on(subject) if one.rule.id == rule), None)
    return None if verdict is None else alone(verdict)


def alone(verdict: Verdict) -> Finding:
    """A finding of one verdict, whatever it says."""
    truths = tuple(answer.truth for answer in verdict.answers())
    return Finding(verdict.rule, verdict.outcome, truths, [verdict])


def beside(look: Look, key: str, by: int) -> str | None:
    """The key of the next finding or the one before; where nothing is advised, of the rule's next subject."""
    here = found(look, key)
    if here is None:
        return finding_key(look.findings[0]) if look.findings else None
    every = [finding_key(one) for one in look.findings]
    if here.outcome not in CALLS_FOR_ACTION:
        every, key = not_advised.siblings(look, here), f"{here.rule.id}\n{here.verdicts[0].subject.id}"
    else:
        key = finding_key(here)
    there = every.index(key) + by if key in every else -1
    return every[there] if 0 <= there < len(every) else None


def page(look: Look, key: str, glyphs: Glyphs, *, chosen: int = 0) -> Page:
    """The page of that key as of this look; for so many of its subjects it was chosen for the plan."""
    finding = found(look, key)
    if finding is None:
        return Page(title=key, why=tuple(_gone(look, key)), todo=(), undo=())
    writing = _Writing(look, finding, glyphs, chosen=chosen)
    return Page(
        title=key,
        why=tuple(writing.why()),
        todo=tuple(writing.what_to_do()),
        undo=tuple(dict.fromkeys(parts.each(ready.undo for ready in writing.todo.ready))),
    )


def _gone(look: Look, key: str) -> Iterator[Block]:
    rule, _, subject = key.partition("\n")
    yield Heading("No longer there")
    yield Gap()
    known = look.subjects.get(subject)
    what = f"The rule {rule} has nothing to say any more of" if known else f"{rule}:"
    where = f"{known.kind} {known.name}" if known else f"{subject} is not on this machine now"
    yield paragraph(f"{what} {where}, as of the look of this moment. Esc goes back.", first=_IN)


class _Writing:
    """Writes the blocks of one finding."""

    def __init__(self, look: Look, finding: Finding, glyphs: Glyphs, *, chosen: int) -> None:
        self.todo = parts.todo(finding)
        self._look = look
        self._finding = finding
        self._rule: Rule = finding.rule
        self._glyphs = glyphs
        self._chosen = chosen
        self._checklist = Checklist(parts.Values(finding), glyphs)
        self._acts = finding.outcome in CALLS_FOR_ACTION
        self._safety = parts.safety(finding)

    def why(self) -> Iterator[Block]:
        """What is found, why, the evidence and what it brings."""
        if not self._acts:
            yield from not_advised.blocks(self._look, self._finding, self._glyphs)
            return
        yield from self._head()
        yield Gap()
        yield from prose(self._rule.why, _IN)
        yield Gap()
        yield Heading("Evidence")
        yield from self._checklist.blocks(parts.evidence(self._finding), plain=True)
        if self._safety:
            yield Gap()
            yield Heading(parts.safety_title(self._safety))
            yield from self._checklist.blocks(self._safety)
        if gain := self._finding.verdicts[0].gain():
            yield Gap()
            yield Heading(f"What it brings: {gain.metric} ({gain.basis})")
            yield from figures.blocks(gain, self._glyphs)

    def _head(self) -> Iterator[Block]:
        tone = severity.TONES[self._rule.severity]
        words = parts.headline(self._finding)
        yield paragraph(span(f"{words.upper()}: ", tone), span(self._rule.title, Tone.TITLE), indent=2)
        where = parts.where(self._finding, all_are=_NAMED_BELOW)
        yield paragraph("On ", span(where, Tone.STRONG), first=_IN)
        place = self._place()
        of = f" ({place + 1} of {len(self._look.findings)}, "
        because = span(parts.because(self._finding, first=place == 0) + of, Tone.DIM)
        yield paragraph(because, span("]", Tone.KEY), span(" next)", Tone.DIM), first=_IN)
        if waived := parts.waived(self._finding):
            yield paragraph(span(waived, Tone.WARNING), first=_IN)
        yield from self._state()
        if self._chosen:
            number = len(self._finding.verdicts)
            part = "" if self._chosen == number else f" on {self._chosen:,} of {number:,}"
            yield paragraph(span(f"{self._glyphs.chosen} Chosen for the plan{part}", Tone.GOOD), first=_IN)

    def _place(self) -> int:
        return next((at for at, one in enumerate(self._look.findings) if one is self._finding), 0)

    def _state(self) -> Iterator[Block]:
        """In a line: whether it is safe, and whether there are commands."""
        truth = conjunction(truth for _, truth in self._safety)
        if truth is not TRUE:
            if truth is UNKNOWN and severity.is_being_asked(self._finding):
                words = "Still being asked: what is not known yet decides whether commands are shown"
            else:
                words = parts.safety_title(self._safety)
            tone = Tone.BAD if truth is FALSE else Tone.UNKNOWN
            yield paragraph(span(f"{self._glyphs.mark(truth)} {words}.", tone), first=_IN)
        elif self.todo.has_commands:
            number = counted(len(self._now()) + len(self._keep()), "line")
            needs = rule_text.NEEDS[self._rule.remedy.needs]
            words = f"{self._glyphs.tick} {'Safe to do' if self._safety else 'To do'}: {number}, {needs}."
            yield paragraph(
                span(words, Tone.GOOD),
                " ",
                span("y", Tone.KEY),
                " copies, ",
                span("u", Tone.KEY),
                " copies the undo",
                first=_IN,
            )
        else:
            yield paragraph(span("There are no commands to copy: what to do is said in words.", Tone.STRONG), first=_IN)

    def _now(self) -> list[str]:
        return list(dict.fromkeys(parts.each(ready.now for ready in self.todo.ready)))

    def _keep(self) -> list[str]:
        return list(dict.fromkeys(parts.kept(kept)[1] for ready in self.todo.ready for kept in ready.keep))

    def what_to_do(self) -> Iterator[Block]:
        """What it takes, commands, undo, and who says so."""
        if self._acts:
            yield from self._danger()
            yield from self._commands()
            yield from self._none_for()
        else:
            yield from self._would_do()
        if self._rule.errata:
            yield Heading(guides.TITLE)
            for one in (errata()[number] for number in self._rule.errata):
                yield paragraph(guides.holds(one), first=self._bullet())
                yield paragraph(span(guides.claimed(one), Tone.DIM), first=(Span("    "),))
            yield Gap()
        yield Heading("References")
        for reference in self._rule.references:
            yield paragraph(span(reference.url), first=self._bullet())
            yield paragraph(span(reference.says, Tone.DIM), first=(Span("    "),))
        yield Gap()
        rule = span(f"{self._rule.id} ({self._rule.status})", Tone.STRONG)
        yield paragraph("Rule: ", rule, "; ", span("R", Tone.KEY), " shows its page")

    def _bullet(self) -> tuple[Span, ...]:
        return (Span(f"  {self._glyphs.bullet} "),)

    def _danger(self) -> Iterator[Block]:
        """What following it takes, and what may be lost."""
        yield Heading(f"What to do ({rule_text.NEEDS[self._rule.remedy.needs]})")
        if self._rule.remedy.advice:
            yield from prose(self._rule.remedy.advice, _IN)
        yield Gap()

    def _would_do(self) -> Iterator[Block]:
        if self._rule.remedy.advice:
            yield Heading("What would be to do, if it were found")
            yield from prose(self._rule.remedy.advice, _IN)
            yield Gap()

    def _commands(self) -> Iterator[Block]:
        ready = self.todo.ready
        first = ready[:_WITH_COMMANDS]
        yield from self._some("Do now", (one.now for one in first), (one.now for one in ready))
        shown = _by_file(kept for one in first for kept in map(_kept, one.keep))
        every = dict(_by_file(kept for one in ready for kept in map(_kept, one.keep)))
        for title, lines in shown:
            yield from self._block(title, lines, every[title])
        yield from self._some("Check", (one.verify for one in first), (one.verify for one in ready))
        yield from self._some("Undo", (one.undo for one in first), (one.undo for one in ready))

    def _some(self, title: str, shown: Iterable[tuple[str, ...]], every: Iterable[tuple[str, ...]]) -> Iterator[Block]:
        lines, all_lines = (tuple(dict.fromkeys(parts.each(some))) for some in (shown, every))
        if lines:
            yield from self._block(title, lines, all_lines)

    def _block(self, title: str, lines: tuple[str, ...], every: tuple[str, ...]) -> Iterator[Block]:
        yield Heading(title)
        name = title[0].lower() + title[1:]
        yield Commands(lines, name=name, every=every)
        if len(every) > len(lines):
            words = f"and {len(every) - len(lines):,} lines more for the other subjects: "
            yield paragraph(
                span(words, Tone.DIM), span("y", Tone.KEY), " or ", span("w", Tone.KEY), " takes all", first=_IN
            )
        yield Gap()

    def _none_for(self) -> Iterator[Block]:
        """Why there are no commands, where no ask above says it."""
        for words, subjects in self.todo.unfit.items():
            yield paragraph(
                span("No commands", Tone.WARNING),
                f" for {parts.named(subjects, all_are=_NAMED_BELOW)}: {words}",
                first=_IN,
            )
            yield Gap()
        if not self.todo.ready and not self.todo.unfit:
            yield paragraph(
                span("No commands are shown: ", Tone.WARNING),
                self._finding.verdicts[0].instructions().no_commands,
                first=_IN,
            )
            yield Gap()


def _kept(keep: Kept) -> tuple[str, str]:
    """The file and its line, which are printable as commands are; else words about a mount point, which need not be."""
    file, line = parts.kept(keep)
    return (file, line) if file else (file, span(line).text)


def _by_file(kept: Iterable[tuple[str, str]]) -> list[tuple[str, tuple[str, ...]]]:
    return [(title, tuple(dict.fromkeys(lines))) for title, lines in rule_text.by_file(kept)]
