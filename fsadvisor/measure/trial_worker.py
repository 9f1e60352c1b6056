"""A trial's worker: it sets up the sides turn by turn, and measures them block by block.

Windows of several sides make a block, in an order drawn by lot and back again: A C B, B C A. What drifts in a straight
line through a block falls on all sides alike. Sessions, clock and lots are given to `events`, so that all of it can be
tried without a disk.
What a trial may write is reckoned here, too, for who is asked before it starts.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from fsadvisor.measure.messages import BlockProgress, Note, SidesReady, TrialDone
from fsadvisor.measure.probe import EngineError, cost, scratch_record
from fsadvisor.measure.probe.disks import Way
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.measure import APART
from fsadvisor.measure.probe.result import figure, median
from fsadvisor.measure.probe.run import opened
from fsadvisor.measure.probe.series import at_once, finest, total, value, voids, writes
from fsadvisor.measure.trial import (
    AGAIN,
    BARE,
    CHANGED,
    DEFAULT,
    FEWEST_BLOCKS,
    TrialComparison,
    TrialInterim,
    TrialSide,
    narrow,
    ratio,
    systematic,
)
from fsadvisor.measure.trial.empty import halves
from fsadvisor.measure.trial.mounting import enter
from fsadvisor.measure.trial.testbed import MountedSide, images, mounted_scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from fsadvisor.measure.messages import Event, TrialWork
    from fsadvisor.measure.probe import EngineSession, ProbeWindow
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.trial import End
    from fsadvisor.measure.trial.mounting import Privacy
    from fsadvisor.measure.trial.testbed import DevicePart, MountedScratch
    from fsadvisor.survey.tried import Ratio


WINDOW_SECONDS: Final = 0.25
BLOCKS_A_TURN: Final = 6


class TrialBudget(Struct, frozen=True, kw_only=True):
    """When to stop: after so many seconds, before it would go beyond so many written bytes, or when it is told."""

    seconds: float
    matters: float = 0.05
    """The smallest difference that matters, as a share."""
    written_bytes: int | None = None
    window_seconds: float = WINDOW_SECONDS


BlockEvent: TypeAlias = TrialInterim | TrialComparison


class Rounds(Struct, frozen=True):
    """How sides are set up: `opened(turn)` gives a session by side, DEFAULT and CHANGED, AGAIN and BARE or not.

    In each of the `turns` an image stands for another side: what one image is better than another by falls on all
    sides alike once every turn is over.
    """

    turns: int
    opened: Callable[[int], AbstractContextManager[Mapping[str, EngineSession]]]
    set_up_bytes: int = 0
    """What is written for each turn before its first window."""


def events(
    job: Job,
    rounds: Rounds,
    budget: TrialBudget,
    lots: Random,
    clock: Callable[[], float],
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[BlockEvent]:
    """A TrialInterim after each block, at last the Comparison."""
    blocks = _Blocks(job, budget, lots, clock, cancelled)
    end: End | None = None
    error = ""
    least = math.ceil(FEWEST_BLOCKS / rounds.turns)  # even where time is short: each image stands for each side
    try:
        while end is None:
            began, before = clock(), blocks.written()
            for turn in range(rounds.turns):
                share = (turn + 1) / rounds.turns
                until = clock() + budget.seconds / rounds.turns
                blocks.beside_bytes += rounds.set_up_bytes
                with rounds.opened(turn) as sessions:
                    blocks.warm_up(sessions)
                    counted = blocks.counted()
                    for _ in range(BLOCKS_A_TURN):
                        if (blocks.counted() - counted >= least and clock() > until) or not blocks.has_bytes(
                            before, share
                        ):
                            break
                        blocks.block(sessions)
                        yield blocks.progress()
            end = blocks.end(clock() - began, blocks.written() - before)
    except EngineError as failed:
        end, error = "failed", str(failed)
    except _CancelledError:
        end = "cancelled"
    yield blocks.comparison(end, error)


class _CancelledError(Exception):
    """Somebody stopped it between two windows."""


class _Blocks(Struct):
    """The windows so far. Those of side S in block n are `windows[S][2 * n]` and the next."""

    job: Job
    budget: TrialBudget
    lots: Random
    clock: Callable[[], float]
    cancelled: Callable[[], bool]
    windows: dict[str, list[ProbeWindow]] = field(default_factory=dict)
    beside_bytes: int = 0
    """Written for what is in no block."""
    _most_bytes: int = 0
    """Of a block, so far."""
    _began: float = 0.0

    def __post_init__(self) -> None:
        self._began = self.clock()

    def warm_up(self, sessions: Mapping[str, EngineSession]) -> None:
        """A window of each side that counts for nothing. Raises EngineError."""
        written = sum(self._written_in(self._window(session)) for session in sessions.values())
        self.beside_bytes += written
        self._most_bytes = max(self._most_bytes, 2 * written)

    def block(self, sessions: Mapping[str, EngineSession]) -> None:
        """All sides once in an order drawn by lot, and once more in the opposite one. Raises EngineError."""
        order = list(sessions)
        self.lots.shuffle(order)
        fresh: dict[str, list[ProbeWindow]] = {side: [] for side in order}
        for side in (*order, *reversed(order)):
            fresh[side].append(self._window(sessions[side]))
        for side, windows in fresh.items():
            self.windows.setdefault(side, []).extend(windows)
        self._most_bytes = max(self._most_bytes, sum(self._written_in(it) for every in fresh.values() for it in every))

    def has_bytes(self, before: int, share: float) -> bool:
        """Whether one more block, were it twice the largest so far, stays in a turn's share of what was left `before`.

        Each turn has as much as the others: where bytes are few, too, each image stands for each side.
        """
        limit = self.budget.written_bytes
        return limit is None or self.written() + 2 * self._most_bytes <= before + share * (limit - before)

    def _window(self, session: EngineSession) -> ProbeWindow:
        if self.cancelled():
            raise _CancelledError
        return session.window(self.budget.window_seconds)

    def seconds(self) -> float:
        return self.clock() - self._began

    def progress(self) -> TrialInterim:
        return TrialInterim(
            blocks=self._blocks(),
            gain=self._gain()[0],
            seconds=self.seconds(),
            seconds_left=max(0.0, self.budget.seconds - self.seconds()),
        )

    def end(self, cycle_seconds: float, cycle_bytes: int) -> End | None:
        """Asked when each image has stood for each side; another cycle takes about as much as the last one."""
        gain, _ = self._gain()
        if gain is not None and narrow(gain, self.budget.matters):
            return "settled"
        limit = self.budget.written_bytes
        late = self.seconds() + cycle_seconds > self.budget.seconds
        return "budget" if late or (limit is not None and self.written() + cycle_bytes > limit) else None

    def comparison(self, end: End, error: str) -> TrialComparison:
        gain, control = self._gain() if self.windows else (None, None)
        why = {side: voids(self.job, windows) for side, windows in self.windows.items()}
        alike = [side for side in (DEFAULT, AGAIN) if side in self.windows]
        return TrialComparison(
            gain=gain,
            control=control,
            bare=self._ratio(BARE, alike, backwards=True) if BARE in self.windows else None,
            sides={side: self._side(side, why[side]) for side in self.windows},
            blocks=self._blocks(),
            left_out=self._blocks() - self.counted(),
            voids=tuple(f"{side}, window {at}: {it}" for side in why for at, it in enumerate(why[side], 1) if it),
            end=end,
            error=error,
            seconds=self.seconds(),
        )

    def counted(self) -> int:
        """The blocks that are not left out."""
        alike = [side for side in (DEFAULT, AGAIN) if side in self.windows]
        return len(self._differences(CHANGED, alike)) if alike else 0

    def _blocks(self) -> int:
        return min((len(windows) // 2 for windows in self.windows.values()), default=0)

    def written(self) -> int:
        return self.beside_bytes + sum(self._written_in(it) for windows in self.windows.values() for it in windows)

    def _written_in(self, window: ProbeWindow) -> int:
        return window.beside_bytes + (window.asked_bytes if writes(self.job.work) else 0)

    def _gain(self) -> tuple[Ratio | None, Ratio | None]:
        """Against both that are made alike where there are two; and what these two differ by."""
        if AGAIN not in self.windows:
            return self._ratio(CHANGED, [DEFAULT]), None
        control = self._ratio(AGAIN, [DEFAULT])
        return self._ratio(CHANGED, [DEFAULT, AGAIN], beside=systematic(control)), control

    def _ratio(self, side: str, against: list[str], *, beside: float = 0.0, backwards: bool = False) -> Ratio | None:
        """Of a side to others. What all windows of a side may be off by alike is no scatter, and counts beside it."""
        unseen = self._finest(side) + max(map(self._finest, against))
        return ratio(self._differences(side, against, backwards=backwards), beside=beside + unseen)

    def _finest(self, side: str) -> float:
        """How finely a side's latencies are told, as a difference of logarithms."""
        return median(sorted(finest(self.job, window) for window in self.windows[side]))

    def _differences(self, side: str, against: list[str], *, backwards: bool = False) -> list[float]:
        """How much faster a side was than the others in each block that counts, as a difference of logarithms."""
        speeds = {one: self._speeds(one) for one in (side, *against)}
        found = []
        for at in range(self._blocks()):
            own, others = speeds[side][at], [speeds[one][at] for one in against]
            known = [it for it in others if it is not None]
            if own is not None and len(known) == len(others):
                found.append(own - sum(known) / len(known))
        return [-it for it in found] if backwards else found

    def _speeds(self, side: str) -> list[float | None]:
        """The mean logarithm of a side's speed in each block; None where one of its windows does not count."""
        windows = self.windows[side]
        why = voids(self.job, windows)
        sign = -1.0 if self.job.headline.smaller_is_better else 1.0
        logs = [
            None if void or not (found := value(self.job, one)) else sign * math.log(found)
            for one, void in zip(windows, why, strict=True)
        ]
        pairs = zip(logs[::2], logs[1::2], strict=False)
        return [None if one is None or other is None else (one + other) / 2 for one, other in pairs]

    def _side(self, side: str, why: tuple[str, ...]) -> TrialSide:
        counted = [one for one, void in zip(self.windows[side], why, strict=True) if not void]
        values = [found for one in counted if (found := value(self.job, one)) is not None]
        sums = total(counted)
        written = None if sums.disks is None or not (writes(self.job.work) and at_once(self.job.work)) else sums.disks
        flushes = None if sums.disks is None else sums.disks.sent_flushes
        return TrialSide(
            figure=figure(values, apart=APART),
            windows=len(counted),
            left_out=len(why) - len(counted),
            operations=sums.operations,
            flushes_per_operation=None if flushes is None or not sums.operations else flushes / sums.operations,
            amplification=written.filesystem_bytes / sums.asked_bytes if written and sums.asked_bytes else None,
        )


_LEAST_BYTES: Final = 2 << 30
"""Of a side that writes: with less a fast drive comes to no interval."""


def set_up_bytes(job: Job, sessions: int) -> int:
    """Written for each turn, before its first window, by the jobs of so many sessions."""
    return sessions * cost.laid_out_bytes(job)


def most_bytes(job: Job, *, turns: int, sessions: int, seconds: float) -> int:
    """All that the jobs may write in that time; 0 where they write nothing."""
    own = cost.measured_bytes(job)
    cycle_seconds = turns * BLOCKS_A_TURN * 2 * sessions * WINDOW_SECONDS
    cycles = max(1, int(seconds / cycle_seconds))
    return cycles * turns * set_up_bytes(job, sessions) + (sessions * max(own, _LEAST_BYTES) if own else 0)


def run(asked: TrialWork, emit: Callable[[Event], None], stop: Stop) -> None:
    """From the images to what came out. Raises EngineError, Stopped."""
    _Trial(asked, emit, stop).run()


class _Trial:
    """One trial."""

    def __init__(self, asked: TrialWork, emit: Callable[[Event], None], stop: Stop) -> None:
        self._asked, self._emit, self._stop = asked, emit, stop
        self._job = JOBS[asked.job]
        self._turned = 0

    def run(self) -> None:
        """From the images to the comparison. Raises EngineError, Stopped."""
        asked = self._asked
        folder = Path(os.fsdecode(asked.folder))
        if asked.folder:
            for said in scratch_record.clear(folder):
                self._emit(Note(text=said, kind="step"))
        privacy = enter([folder, Path(__file__)])
        sides = (DEFAULT, CHANGED) if asked.device else (DEFAULT, AGAIN, CHANGED)
        sessions = len(sides) if asked.device else len(sides) + 1
        budget = TrialBudget(
            seconds=asked.seconds,
            matters=asked.matters,
            written_bytes=most_bytes(self._job, turns=len(sides), sessions=sessions, seconds=asked.seconds) or None,
        )
        with self._parts(folder, len(sides)) as parts:
            written = set_up_bytes(self._job, sessions)
            rounds = Rounds(len(sides), lambda turn: self._turn(privacy, sides, parts, turn), written)
            found = events(self._job, rounds, budget, Random(asked.seed), time.monotonic, lambda: self._stop.asked)  # noqa: S311 - lots, no secrets
            last: TrialComparison | None = None
            for event in found:
                if isinstance(event, TrialInterim):
                    self._emit(BlockProgress(progress=event))
                else:
                    last = event
        if last is not None:
            self._emit(TrialDone(comparison=last))

    @contextlib.contextmanager
    def _parts(self, folder: Path, count: int) -> Iterator[tuple[DevicePart, ...]]:
        asked = self._asked
        with contextlib.ExitStack() as stack:
            with self._stop.interruptible():
                parts = stack.enter_context(
                    halves(asked.device) if asked.device else images(folder, count, asked.size_bytes)
                )
            yield parts

    @contextlib.contextmanager
    def _turn(
        self, privacy: Privacy, sides: Sequence[str], parts: Sequence[DevicePart], turn: int
    ) -> Iterator[Mapping[str, EngineSession]]:
        """Every side on an image, each turn on another one, and its session."""
        asked = self._asked
        first = self._turned < len(sides)
        self._turned += 1
        with contextlib.ExitStack() as stack:
            with self._stop.interruptible():
                stands: dict[str, MountedScratch] = {}
                for index, side in enumerate(sides):
                    self._emit(Note(text=f"turn {turn + 1} of {len(sides)}: making the side {side}", kind="step"))
                    form = replace(asked.changed if side == CHANGED else asked.default, name=side)
                    part = parts[(index + turn) % len(parts)]
                    solid = first and not asked.device and turn == 0
                    stands[side] = stack.enter_context(mounted_scratch(privacy, form, part, solid=solid))
                sessions = {
                    side: stack.enter_context(opened(self._job, stand.folder, Way.straight_to(stand.loop)))
                    for side, stand in stands.items()
                }
                if not asked.device:
                    sessions[BARE] = stack.enter_context(
                        opened(self._job, Path(os.fsdecode(asked.folder)), asked.disks)
                    )
            if self._turned == 1:
                self._emit(_stood(stands, sessions[DEFAULT].engine))
            yield sessions


def _stood(stands: Mapping[str, MountedScratch], engine: str) -> SidesReady:
    return SidesReady(
        engine=engine,
        stands=tuple(
            MountedSide(
                side=side,
                mkfs=stand.mkfs,
                options=stand.options,
                loop=stand.loop,
                direct_io=stand.direct_io,
                write_cache=stand.write_cache,
            )
            for side, stand in stands.items()
        ),
    )
