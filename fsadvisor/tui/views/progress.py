"""A measurement as it goes: what is known of it after each thing that it tells, and what all kinds of it say alike.

The head of every place tells how far it is. Before it starts, its page says what it takes and what speaks against it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.measure.messages import (
    BlockProgress,
    CompareDone,
    Estimate,
    Finished,
    JobDone,
    LeftOut,
    Note,
    Progress,
    SidesReady,
    Started,
    TrialAsked,
    TrialDone,
)
from fsadvisor.measure.probe.cost import seconds_text
from fsadvisor.pages.document import Block, Document, Gap, paragraph
from fsadvisor.pages.glyphs import Span, Tone, span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.messages import CompareAsked, Event, ProbeAsked
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.measure.trial import TrialComparison, TrialInterim
    from fsadvisor.measure.trial.testbed import MountedSide
    from fsadvisor.pages.glyphs import Glyphs

Phase: TypeAlias = Literal["asking", "to confirm", "running", "stopping", "over"]
"""Looking around; told what it takes; at it; told to stop; ended, with everything cleaned up."""


class MeasurementProgress(Struct, frozen=True, kw_only=True):
    """What is known of a measurement of any kind at a moment."""

    phase: Phase = "asking"
    estimate: Estimate | None = None
    notes: tuple[str, ...] = ()
    finished: Finished | None = None

    @property
    def goes_on(self) -> bool:
        """Whether something is being measured, or cleaned up."""
        return self.phase in ("running", "stopping")

    @property
    def has_results(self) -> bool:
        """Whether something came out that changes what is known of this machine."""
        raise NotImplementedError

    @property
    def doing_words(self) -> str:
        """What is done, for the head of every place: 'trying'."""
        raise NotImplementedError

    @property
    def seconds_left(self) -> float:
        """Seconds that it still takes at most."""
        raise NotImplementedError

    def going(self) -> Self:
        """The state once a person said go."""
        return replace(self, phase="running")

    def stopping(self) -> Self:
        """The state once a person said stop."""
        return self if self.phase == "over" else replace(self, phase="stopping")

    def after(self, event: Event) -> Self:
        """The state after an event of the measurement."""
        match event:
            case Estimate():
                return replace(self, estimate=event, phase="to confirm" if self.phase == "asking" else self.phase)
            case Note(text=text):
                return replace(self, notes=(*self.notes, text))
            case Finished():
                return replace(self, phase="over", finished=event)
        return self


class ProbeProgress(MeasurementProgress, frozen=True, kw_only=True):
    """All that is known of a probe at a moment."""

    asked: ProbeAsked
    started: Started | None = None
    windows: tuple[Progress, ...] = ()
    """Of the job that runs."""
    results: tuple[Result, ...] = ()
    pause: str = ""
    """Why a gentle probe waits at the moment."""

    @property
    def target(self) -> str:
        """The directory that is measured."""
        return self.estimate.target if self.estimate else self.asked.target

    @property
    def has_results(self) -> bool:
        """Whether a job has ended."""
        return bool(self.results)

    @property
    def doing_words(self) -> str:
        """'probing 2/6'."""
        at = self.started.at if self.started else 1
        return "probing" if self.phase == "stopping" else f"probing {at}/{len(self.asked.jobs)}"

    @property
    def seconds_left(self) -> float:
        """Of all jobs, at most."""
        if self.windows:
            return self.windows[-1].seconds_left
        if self.started:
            return self.started.seconds_left
        return self.estimate.cost.most_seconds if self.estimate else 0.0

    def after(self, event: Event) -> Self:
        """The state after an event of the probe."""
        match event:
            case Started():
                return replace(self, started=event, windows=(), pause="")
            case Progress():
                return replace(self, windows=(*self.windows, event), pause="")
            case JobDone():
                return replace(self, results=(*self.results, event.result), pause="")
            case Note(text=text, kind="pause"):
                return replace(self, pause=text)
        return super().after(event)


class TrialProgress(MeasurementProgress, frozen=True, kw_only=True):
    """All that is known of a trial or a comparison at a moment."""

    asked: TrialAsked | CompareAsked
    doing: str = ""
    """What it is at between windows."""
    stands: tuple[MountedSide, ...] = ()
    blocks: tuple[TrialInterim, ...] = ()
    """Of a trial: after each."""
    comparison: TrialComparison | None = None
    """What a trial came to."""
    windows: tuple[Progress, ...] = ()
    """Of a comparison: the newest of each side in the job that runs."""
    at: int = 0
    """Of a comparison: the job that runs, from 1; 0 before the first."""
    ended: tuple[JobDone, ...] = ()
    table: CompareDone | None = None
    """What a comparison came to."""

    @property
    def is_trial(self) -> bool:
        """Else it is a comparison."""
        return isinstance(self.asked, TrialAsked)

    @property
    def has_results(self) -> bool:
        """Whether a trial came to something, which is a fact."""
        return self.comparison is not None

    @property
    def doing_words(self) -> str:
        """'trying' or 'comparing'."""
        return "trying" if self.is_trial else "comparing"

    @property
    def share(self) -> float:
        """How much of its time is used up, 0 to 1; it may end before."""
        if isinstance(self.asked, TrialAsked):
            last = self.blocks[-1] if self.blocks else None
            return last.seconds / (last.seconds + last.seconds_left or 1) if last else 0.0
        used = min((one.used for one in self.windows), default=0.0)
        return (max(self.at - 1, 0) + used) / max(len(self.asked.jobs), 1)

    @property
    def seconds_left(self) -> float:
        """Seconds that it still takes at most."""
        if self.blocks:
            return self.blocks[-1].seconds_left
        return self.estimate.cost.most_seconds * (1 - self.share) if self.estimate else 0.0

    def after(self, event: Event) -> Self:
        """The state after an event of the trial or the comparison."""
        match event:
            case Note(text=text, kind="step"):
                return replace(self, doing=text)
            case SidesReady(stands=stands):
                return replace(self, stands=stands, doing="")
            case BlockProgress(progress=progress):
                return replace(self, blocks=(*self.blocks, progress), doing="")
            case TrialDone(comparison=comparison):
                return replace(self, comparison=comparison, doing="")
            case Finished():
                return replace(super().after(event), doing="")
        return self._compared(event)

    def _compared(self, event: Event) -> Self:
        match event:
            case Started(at=at, job=job, side=side):
                windows = self.windows if at == self.at else ()
                doing = f"{job} is set up on {side}" if at else f"{side} is made"
                return replace(self, at=at, windows=windows, doing=doing)
            case Progress(at=at, side=side):
                others = tuple(one for one in self.windows if one.side != side)
                return replace(self, at=at, windows=(*others, event), doing="")
            case JobDone():
                return replace(self, ended=(*self.ended, event))
            case LeftOut(side=side, why=why):
                return replace(self, notes=(*self.notes, f"{side} is left out: {why}"))
            case CompareDone():
                return replace(self, table=event)
        return super().after(event)


def note(progress: MeasurementProgress | None) -> str:
    """For the head of every place: 'probing 2/6, ≤ 63 s left'; '' where nothing goes on."""
    if progress is None or not progress.goes_on:
        return ""
    if progress.phase == "stopping":
        return f"{progress.doing_words}: cleaning up"
    return f"{progress.doing_words}, ≤ {seconds_text(progress.seconds_left)}"


def notes(progress: MeasurementProgress, glyphs: Glyphs) -> Iterator[Block]:
    """What it had to say."""
    for text in progress.notes:
        yield paragraph(text, first=(Span(f"{glyphs.bullet} "),))


def without_estimate(progress: MeasurementProgress, where: str = "") -> Document:
    """While one still looks around, or where that has failed."""
    if progress.finished is not None:
        words = progress.finished.error or "It ended before it was asked."
        return Document("ended", (paragraph(span(words, Tone.BAD)),))
    return Document("asking", (paragraph(span(f"Looking around{where} …", Tone.DIM)),))


def objections(estimate: Estimate) -> Iterator[Block]:
    """What speaks against it."""
    if estimate.findings:
        yield Gap()
    for objection in estimate.findings:
        refused = objection.level == "refused"
        first = span("refused: " if refused else "warning: ", Tone.BAD if refused else Tone.WARNING)
        yield paragraph(objection.says, first=(first,), indent=2)
