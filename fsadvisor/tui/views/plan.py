"""The plan of the findings that were chosen: what becomes of each, as rows; then its pages.

These tell its steps, what is left to people and what is left out; then its files.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from fsadvisor.pages.document import Block, Commands, Document, Gap, Heading, Prose, Verbatim, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, clean, cut, line, span
from fsadvisor.pages.values import counted, listed
from fsadvisor.plan.changes import QUARREL
from fsadvisor.plan.documents import documents
from fsadvisor.plan.planning import can_be_planned, plan
from fsadvisor.plan.script import parts
from fsadvisor.report.finding_page import where
from fsadvisor.report.rule_page import NEEDS
from fsadvisor.tui.views.advice import pairs_of, the_chosen
from fsadvisor.tui.views.rows import LazyRows, Row
from fsadvisor.tui.views.severity import TONES
from fsadvisor.tui.views.snapshot import finding_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from fsadvisor.machine.port import Answer
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.plan import FileChange, Manual, Plan, Step
    from fsadvisor.plan import Finding as PlannedFinding
    from fsadvisor.plan.documents import PlanText as File
    from fsadvisor.plan.script import Part
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.tui.views.snapshot import Snapshot


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


def gathered(snapshot: Snapshot, chosen: Collection[tuple[str, str]], read: Callable[[str], Answer]) -> Gathered:
    """The plan for these rules on these subjects; `read` gives a file of the machine as it was seen."""
    findings = tuple(the_chosen(snapshot.findings, frozenset(chosen)))
    there = {pair for one in findings for pair in pairs_of(one)}
    verdicts = sorted((verdict for one in findings for verdict in one.verdicts), key=lambda verdict: verdict.rank())
    return Gathered(
        findings=findings,
        gone=tuple(pair for pair in chosen if pair not in there),
        plan=plan(snapshot.storage, verdicts, read),
    )


def all_with_commands(snapshot: Snapshot) -> list[Finding]:
    """All advice of which a plan could be made."""
    return [one for one in snapshot.findings if any(map(_has_commands, one.verdicts))]


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


STEPS: Final = "Steps"
CHECK: Final = "Check"
_IN: Final = (Span("  "),)
_AS_ROOT: Final = ("sh plan.sh --check", "sh plan.sh")
_TAB: Final = 8
_NAMED: Final = 3


def pages(gathered: Gathered, glyphs: Glyphs) -> dict[str, Document]:
    """By the names of their tabs, the steps first; each has a title of its own."""
    made = {STEPS: Document("the steps of the plan", tuple(_steps(gathered, glyphs)))}
    files = [one for one in ("plan.sh", "fstab.diff", "undo.sh") if one in gathered.files]
    made |= {path: Document(path, (_file(gathered.files[path].text, path),)) for path in files}
    if gathered.plan.scripted:
        made[CHECK] = Document("how to check the plan", tuple(_check(gathered)))
    return made


def _file(text: str, path: str) -> Verbatim:
    tone = _diff_tone if path.endswith(".diff") else _script_tone
    lines = ("\t".join(clean(piece, None) for piece in one.split("\t")) for one in text.removesuffix("\n").split("\n"))
    return Verbatim(tuple(Span(one.expandtabs(_TAB), tone(one)) for one in lines))


def _script_tone(text: str) -> Tone:
    if text.startswith("# ----"):
        return Tone.TITLE
    return Tone.DIM if text.lstrip().startswith("#") else Tone.PLAIN


def _diff_tone(text: str) -> Tone:
    if text.startswith(("---", "+++", "@@")):
        return Tone.DIM
    return {"+": Tone.GOOD, "-": Tone.BAD}.get(text[:1], Tone.PLAIN)


def _steps(gathered: Gathered, glyphs: Glyphs) -> Iterator[Block]:
    plan = gathered.plan
    needs = {one.rule.id: NEEDS[one.rule.remedy.needs] for one in gathered.findings}
    yield _opening(gathered)
    yield from _gone(gathered)
    quarrels = [one for one in plan.refused if one.reason.startswith(QUARREL)]
    if quarrels:
        yield from _part("In conflict: the higher rank wins, of equals neither is planned")
        yield from _reasons(((one.finding, one.reason) for one in quarrels), glyphs, Tone.BAD)
    for number, part in enumerate(gathered.parts, 1):
        yield from _step(part, number, plan, needs, glyphs)
    if plan.manual:
        yield from _part("Left to you, after the script" if plan.scripted else "Left to you")
        for manual in plan.manual:
            yield from _manual(manual, needs, glyphs)
    left_out = [one for one in plan.refused if one not in quarrels]
    if left_out:
        yield from _part("Left out, and why")
        yield from _reasons(((one.finding, one.reason) for one in left_out), glyphs, Tone.UNKNOWN)


def _opening(gathered: Gathered) -> Block:
    if not gathered.plan.scripted:
        return paragraph(span("There is nothing that a script could do.", Tone.STRONG))
    return paragraph(
        span(
            f"{counted(len(gathered.parts), 'step')} for a script that looks before and after each one. ", Tone.STRONG
        ),
        span("Nothing is run here: "),
        span("S", Tone.KEY),
        span(" saves it as a directory, for you to read and to run as root."),
    )


def _gone(gathered: Gathered) -> Iterator[Block]:
    by_rule: dict[str, list[str]] = {}
    for rule, subject in gathered.gone:
        by_rule.setdefault(rule, []).append(subject.partition(":")[2] or "this machine")
    for rule, subjects in by_rule.items():
        more = [f"{len(subjects) - _NAMED:,} more"] if len(subjects) > _NAMED else []
        where = listed([*subjects[:_NAMED], *more])
        words = f"{rule} was chosen and is no longer found on {where}: nothing is planned for that."
        yield paragraph(span(words, Tone.WARNING))


def _part(title: str) -> Iterator[Block]:
    yield Gap()
    yield Heading(title)


def _step(part: Part, number: int, plan: Plan, needs: Mapping[str, str], glyphs: Glyphs) -> Iterator[Block]:
    yield from _part(f"{number}. {part.title}")
    step = next((one for one in plan.steps if one.findings is part.findings), None)
    disruption = list(dict.fromkeys(needs[one.rule] for one in part.findings)) if step else ["no interruption"]
    yield paragraph(span(", ".join(disruption), Tone.STRONG), first=_IN)
    for one in part.findings:
        yield paragraph(*_named(one), first=_IN)
    if step:
        yield from _settings(step, glyphs)
    else:
        yield from _lines_of(part, plan)
    if part.advice:
        yield Prose(f"Note: {part.advice}")


def _named(finding: PlannedFinding) -> Iterator[Span]:
    yield span(f"{finding.rule} on {finding.subject}")
    yield span(f" ({finding.reason})", Tone.DIM)


def _settings(step: Step, glyphs: Glyphs) -> Iterator[Block]:
    for change in step.changes:
        for setting in change.settings:
            wanted = _value(setting.wanted[0])
            to = (span(_value(setting.seen), Tone.BAD), span(f" {glyphs.right} ", Tone.DIM), span(wanted, Tone.GOOD))
            yield paragraph(span(f"{setting.what}: "), *to, first=_IN)


def _value(text: str) -> str:
    return "none" if text == "-" else text


def _lines_of(part: Part, plan: Plan) -> Iterator[Block]:
    """What changes in a file."""
    for change in plan.files:
        if change.findings is part.findings:
            yield Verbatim(tuple(_new_lines(change)))
    if plan.fstab and plan.fstab.findings is part.findings:
        for edit in plan.fstab.edits:
            pair = ((f"  - {edit.before}", Tone.BAD), (f"  + {edit.after}", Tone.GOOD))
            yield Verbatim(tuple(span(text.expandtabs(_TAB), tone) for text, tone in pair))


def _new_lines(change: FileChange) -> Iterator[Span]:
    return (span(f"  + {piece}", Tone.GOOD) for piece in change.pieces if isinstance(piece, str))


def _manual(manual: Manual, needs: Mapping[str, str], glyphs: Glyphs) -> Iterator[Block]:
    yield paragraph(span(manual.finding.title, Tone.STRONG), first=(Span(f"  {glyphs.bullet} "),))
    far: Line = (Span("    "),)
    yield paragraph(span(f"{manual.reason}; ", Tone.WARNING), *_named(manual.finding), first=far)
    if manual.advice:
        yield Prose(manual.advice, indent=4)
    command_parts = (
        (f"Commands ({needs[manual.finding.rule]}):", manual.commands),
        ("Permanently:", manual.keep),
        ("Undo:", manual.undo),
    )
    for title, lines in command_parts:
        if lines:
            yield paragraph(span(title, Tone.DIM), first=far)
            yield Commands(tuple(dict.fromkeys(lines)), 4, title.rstrip(":").casefold())


def _reasons(pairs: Iterable[tuple[PlannedFinding, str]], glyphs: Glyphs, tone: Tone) -> Iterator[Block]:
    for finding, reason in pairs:
        yield paragraph(*_named(finding), span(": "), span(reason, tone), first=line(f"  {glyphs.bullet} "), indent=4)


def _check(gathered: Gathered) -> Iterator[Block]:
    yield paragraph("The script looks at everything before it begins, and again after each step. As root:")
    yield Commands(_AS_ROOT, name="the check")
    yield from _part("To see for yourself afterwards")
    for number, part in enumerate(gathered.parts, 1):
        yield paragraph(span(f"{number}. {part.title}", Tone.DIM))
        yield Commands(tuple(dict.fromkeys(part.verify)), name=f"the look at step {number}")
    yield from _part("To bring back what was seen")
    yield Commands(("sh undo.sh --check", "sh undo.sh"), name="the undo")


def being_made() -> Document:
    """Until the plan is there."""
    return Document("being made", (paragraph(span("Making the plan …", Tone.DIM)),))


def failed(error: Exception) -> Document:
    """Where it can't be made."""
    words = f"The plan could not be made: {type(error).__name__}: {error}"
    return Document("not made", (paragraph(span(words, Tone.BAD)),))


def how_to_choose(number: int) -> Document:
    """What stands there before anything is chosen; `number` pieces of advice have commands."""

    def key(name: str) -> Span:
        return span(name, Tone.KEY)

    a_plan = (
        "A plan is a directory for you to read and to run yourself. Its script looks before and after each step and"
        " stops at the first surprise. A diff is for /etc/fstab, and an undo brings back what was seen. "
        "fsadvisor runs none of it."
    )
    everything = counted(number, "piece of advice that has commands", "pieces of advice that have commands")
    choose_all = (
        (key("a"), span(f"      chooses all: {everything}"))
        if number
        else (span("Here no advice has commands: the findings say what has to be proven first.", Tone.WARNING),)
    )
    return Document(
        "how to choose",
        (
            Gap(),
            paragraph(span("No advice is chosen for a plan yet.", Tone.STRONG), first=_IN),
            Gap(),
            paragraph(key("Space"), span("  in the overview ("), key("1"), span(") chooses a finding"), first=_IN),
            paragraph(key("p"), span("      does so where you read one"), first=_IN),
            paragraph(*choose_all, first=_IN),
            Gap(),
            paragraph(span(a_plan, Tone.DIM), first=_IN),
        ),
    )
