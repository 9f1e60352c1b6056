"""A trial or a comparison as it goes: its state after each thing that it tells, and what the head says of it."""

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

if TYPE_CHECKING:
    from fsadvisor.measure.messages import CompareAsked, Event
    from fsadvisor.measure.trial import TrialComparison, TrialInterim
    from fsadvisor.measure.trial.testbed import MountedSide

Phase: TypeAlias = Literal["asking", "to confirm", "running", "stopping", "over"]
"""Looking around; told what it takes; at it; told to stop; ended, with everything cleaned up."""


class TrialProgress(Struct, frozen=True, kw_only=True):
    """All that is known of it at a moment."""

    asked: TrialAsked | CompareAsked
    phase: Phase = "asking"
    estimate: Estimate | None = None
    doing: str = ""
    """What it is at between windows."""
    stands: tuple[MountedSide, ...] = ()
    engine: str = ""
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
    notes: tuple[str, ...] = ()
    finished: Finished | None = None

    @property
    def goes_on(self) -> bool:
        """Whether something is being measured, or cleaned up."""
        return self.phase in ("running", "stopping")

    @property
    def is_trial(self) -> bool:
        """Else it is a comparison."""
        return isinstance(self.asked, TrialAsked)

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

    def going(self) -> Self:
        """The state once a person said go."""
        return replace(self, phase="running")

    def stopping(self) -> Self:
        """The state once a person said stop."""
        return self if self.phase == "over" else replace(self, phase="stopping")

    @property
    def has_results(self) -> bool:
        """Whether a trial came to something, which is a fact."""
        return self.comparison is not None

    def after(self, event: Event) -> Self:
        """The state after an event of the trial."""
        match event:
            case Estimate():
                return replace(self, estimate=event, phase="to confirm" if self.phase == "asking" else self.phase)
            case Note(text=text, kind="step"):
                return replace(self, doing=text)
            case Note(text=text):
                return replace(self, notes=(*self.notes, text))
            case SidesReady(stands=stands, engine=engine):
                return replace(self, stands=stands, engine=engine, doing="")
            case BlockProgress(progress=progress):
                return replace(self, blocks=(*self.blocks, progress), doing="")
            case TrialDone(comparison=comparison):
                return replace(self, comparison=comparison, doing="")
            case CompareDone():
                return replace(self, table=event)
            case Finished():
                return replace(self, phase="over", finished=event, doing="")
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
        return self


def note(progress: TrialProgress | None) -> str:
    """For the head of every place: 'trying, ≤ 63 s left'."""
    if progress is None or not progress.goes_on:
        return ""
    what = "trying" if progress.is_trial else "comparing"
    if progress.phase == "stopping":
        return f"{what}: cleaning up"
    return f"{what}, ≤ {seconds_text(progress.seconds_left)}"
