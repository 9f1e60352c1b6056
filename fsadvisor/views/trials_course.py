"""A trial or a comparison as it goes: its state after each thing that it tells, and what the head says of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from fsadvisor.compare import telling as compare_telling
from fsadvisor.probe.cost import seconds_text
from fsadvisor.probe.telling import Over
from fsadvisor.trial import telling as trial_telling
from fsadvisor.verbs import trials_telling as telling

if TYPE_CHECKING:
    from fsadvisor.trial.comparison import Comparison, Progress

Phase: TypeAlias = Literal["asking", "to confirm", "running", "stopping", "over"]
"""Looking around; told what it takes; at it; told to stop; ended, with everything cleaned up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """All that is known of it at a moment."""

    asked: telling.Asked
    phase: Phase = "asking"
    told: telling.Told | None = None
    doing: str = ""
    """What it is at between windows."""
    stands: tuple[trial_telling.Stand, ...] = ()
    engine: str = ""
    blocks: tuple[Progress, ...] = ()
    """Of a trial: after each."""
    comparison: Comparison | None = None
    """What a trial came to."""
    windows: tuple[compare_telling.Went, ...] = ()
    """Of a comparison: the newest of each side in the job that runs."""
    at: int = 0
    """Of a comparison: the job that runs, from 1; 0 before the first."""
    ended: tuple[compare_telling.Ended, ...] = ()
    table: telling.Table | None = None
    """What a comparison came to."""
    said: tuple[str, ...] = ()
    over: Over | None = None

    @property
    def goes_on(self) -> bool:
        """Whether something is being measured, or cleaned up."""
        return self.phase in ("running", "stopping")

    @property
    def is_trial(self) -> bool:
        """Else it is a comparison."""
        return isinstance(self.asked, telling.Try)

    @property
    def share(self) -> float:
        """How much of its time is used up, 0 to 1; it may end before."""
        if isinstance(self.asked, telling.Try):
            last = self.blocks[-1] if self.blocks else None
            return last.seconds / (last.seconds + last.seconds_left or 1) if last else 0.0
        used = min((one.used for one in self.windows), default=0.0)
        return (max(self.at - 1, 0) + used) / max(len(self.asked.jobs), 1)

    @property
    def seconds_left(self) -> float:
        """At most."""
        if self.blocks:
            return self.blocks[-1].seconds_left
        return self.told.cost.most_seconds * (1 - self.share) if self.told else 0.0

    def going(self) -> Course:
        """A person said go."""
        return replace(self, phase="running")

    def stopping(self) -> Course:
        """A person said stop."""
        return self if self.phase == "over" else replace(self, phase="stopping")

    def heard(self, event: telling.Event) -> Course:
        """With one thing more."""
        match event:
            case telling.Told():
                return replace(self, told=event, phase="to confirm" if self.phase == "asking" else self.phase)
            case telling.OfTrial(event=inner):
                return self._tried(inner)
            case telling.OfCompare(event=inner):
                return self._compared(inner)
            case telling.Said(text=text):
                return replace(self, said=(*self.said, text))
            case telling.Table():
                return replace(self, table=event)
            case Over():
                return replace(self, phase="over", over=event, doing="")

    def _tried(self, event: trial_telling.Event) -> Course:
        match event:
            case trial_telling.Doing(says=says):
                return replace(self, doing=says)
            case trial_telling.Stood(stands=stands, engine=engine):
                return replace(self, stands=stands, engine=engine, doing="")
            case trial_telling.Went(progress=progress):
                return replace(self, blocks=(*self.blocks, progress), doing="")
            case trial_telling.Done(comparison=comparison):
                return replace(self, comparison=comparison, doing="")
            case trial_telling.Failed(error=error):
                return replace(self, said=(*self.said, error), doing="")

    def _compared(self, event: compare_telling.Event) -> Course:
        match event:
            case compare_telling.Began(at=at, job=job, side=side):
                windows = self.windows if at == self.at else ()
                doing = f"{job} is set up on {side}" if at else f"{side} is made"
                return replace(self, at=at, windows=windows, doing=doing)
            case compare_telling.Went(at=at, side=side):
                others = tuple(one for one in self.windows if one.side != side)
                return replace(self, at=at, windows=(*others, event), doing="")
            case compare_telling.Ended():
                return replace(self, ended=(*self.ended, event))
            case compare_telling.LeftOut(name=name, why=why):
                return replace(self, said=(*self.said, f"{name} is left out: {why}"))
            case compare_telling.Said(text=text):
                return replace(self, said=(*self.said, text))
            case compare_telling.Failed(why=why):
                return replace(self, said=(*self.said, why))
            case compare_telling.Stood():
                return self


def note(course: Course | None) -> str:
    """For the head of every place: 'trying, ≤ 63 s left'."""
    if course is None or not course.goes_on:
        return ""
    what = "trying" if course.is_trial else "comparing"
    if course.phase == "stopping":
        return f"{what}: cleaning up"
    return f"{what}, ≤ {seconds_text(course.seconds_left)}"
