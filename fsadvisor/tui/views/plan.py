"""The plan of the findings that were gathered: what becomes of each, and its pages to read."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from fsadvisor.pages.glyphs import Line, Span, Tone, cut, line, span
from fsadvisor.pages.values import counted, listed
from fsadvisor.plan.changes import QUARREL
from fsadvisor.plan.documents import documents
from fsadvisor.plan.planning import can_be_planned, plan
from fsadvisor.plan.script import parts
from fsadvisor.report.finding_page import where
from fsadvisor.tui.views.advice import pairs_of, the_chosen
from fsadvisor.tui.views.look import finding_key
from fsadvisor.tui.views.rows import LazyRows, Row
from fsadvisor.tui.views.severity import TONES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from fsadvisor.machine.port import Answer
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.plan.documents import PlanText as File
    from fsadvisor.plan.model import Plan
    from fsadvisor.plan.script import Part
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.tui.views.look import Look


_STEPS_NAMED: Final = 4
_WORD: Final = 9


class Fate(NamedTuple):
    """What becomes of a finding, in a few words."""

    words: str
    tone: Tone


class Gathered(Struct, frozen=True, kw_only=True, dict=True):
    """The findings chosen, and the plan for them. `gone` are rules and the ids of subjects that they no longer find."""

    findings: tuple[Finding, ...]
    gone: tuple[tuple[str, str], ...]
    plan: Plan

    @cached_property
    def files(self) -> Mapping[str, File]:
        """The files of its folder, by path."""
        return {one.path: one for one in documents(self.plan)}

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What the script does, in the order of running."""
        return parts(self.plan)

    @cached_property
    def _steps(self) -> Mapping[tuple[str, str], list[int]]:
        """The numbers of the steps that each rule and subject has."""
        steps: dict[tuple[str, str], list[int]] = {}
        for number, part in enumerate(self.parts, 1):
            for finding in part.findings:
                steps.setdefault((finding.rule, finding.subject), []).append(number)
        return steps

    @cached_property
    def _left(self) -> Mapping[tuple[str, str], str]:
        return {(one.finding.rule, one.finding.subject): one.reason for one in self.plan.manual}

    @cached_property
    def _refused(self) -> Mapping[tuple[str, str], str]:
        return {(one.finding.rule, one.finding.subject): one.reason for one in self.plan.refused}

    def fate(self, finding: Finding) -> Fate:
        """Of all its subjects: the first that holds of script, hands, nothing, and how many fare otherwise."""
        whose = [(finding.rule.id, subject.name) for subject in finding.subjects]
        steps = sorted({number for one in whose for number in self._steps.get(one, ())})
        left = [self._left[one] for one in whose if one in self._left]
        refused = [self._refused[one] for one in whose if one in self._refused]
        if steps:
            rest = [*(("part left to you",) if left else ()), *((f"{len(refused):,} left out",) if refused else ())]
            return Fate(", ".join([_numbers(steps), *rest]), Tone.GOOD)
        if left:
            return Fate(f"left to you: {left[0]}", Tone.WARNING)
        if refused:
            quarrel = refused[0].startswith(QUARREL)
            return Fate(
                f"{'in conflict' if quarrel else 'left out'}: {refused[0]}", Tone.BAD if quarrel else Tone.UNKNOWN
            )
        return Fate("nothing to do", Tone.DIM)


def _numbers(steps: list[int]) -> str:
    named = [str(one) for one in steps[:_STEPS_NAMED]]
    if len(steps) > _STEPS_NAMED:
        return f"steps {', '.join(named)} and {len(steps) - _STEPS_NAMED:,} more"
    return f"step{'s' if len(steps) > 1 else ''} {listed(named)}"


def gathered(look: Look, chosen: Collection[tuple[str, str]], read: Callable[[str], Answer]) -> Gathered:
    """The plan for these rules on these subjects; `read` gives a file of the machine as it was seen."""
    findings = tuple(the_chosen(look.findings, frozenset(chosen)))
    there = {pair for one in findings for pair in pairs_of(one)}
    verdicts = sorted((verdict for one in findings for verdict in one.verdicts), key=lambda verdict: verdict.rank())
    return Gathered(
        findings=findings,
        gone=tuple(pair for pair in chosen if pair not in there),
        plan=plan(look.storage, verdicts, read),
    )


def all_with_commands(look: Look) -> list[Finding]:
    """All advice of which a plan could be made."""
    return [one for one in look.findings if any(map(_has_commands, one.verdicts))]


def _has_commands(verdict: Verdict) -> bool:
    todo = verdict.instructions()
    return can_be_planned(verdict) and bool(todo.now or todo.keep)


def rows(gathered: Gathered, width: int, glyphs: Glyphs) -> LazyRows:
    """What, then what becomes of it, and where."""
    return LazyRows(
        [finding_key(one) for one in gathered.findings], lambda at: _row(gathered, gathered.findings[at], width, glyphs)
    )


def _row(gathered: Gathered, finding: Finding, width: int, glyphs: Glyphs) -> Row:
    severity = finding.rule.severity
    fate = gathered.fate(finding)
    what = line(Span(" "), Span(severity.ljust(_WORD), TONES[severity]), span(finding.title))
    becomes = line(Span(" " * (_WORD + 1)), span(fate.words, fate.tone), span(f"  {where(finding, 3, '')}", Tone.DIM))
    lines = tuple(cut(one, width, glyphs.ellipsis) for one in (what, becomes))
    return Row(finding_key(finding), lines, finding.rule.id)


def title(gathered: Gathered | None, chosen: int) -> Line:
    """How many were gathered, and what the plan comes to."""
    words = (span("Chosen", Tone.TITLE), span(f"  {chosen:,}"))
    if not chosen or gathered is None:
        return words if chosen else words[:1]
    return (*words, *_comes_to(gathered))


def _comes_to(gathered: Gathered) -> Iterator[Span]:
    plan = gathered.plan
    quarrels = sum(one.reason.startswith(QUARREL) for one in plan.refused)
    counts = (
        (len(gathered.parts), counted(len(gathered.parts), "step"), Tone.GOOD),
        (len(plan.manual), f"{len(plan.manual):,} left to you", Tone.WARNING),
        (quarrels, f"{quarrels:,} in conflict", Tone.BAD),
        (len(plan.refused) - quarrels, f"{len(plan.refused) - quarrels:,} left out", Tone.UNKNOWN),
    )
    for number, words, tone in counts:
        if number:
            yield span(f"  {words}", tone)
