"""What a trial's worker does: sets up the sides turn by turn, and measures them block by block."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fsadvisor.measure.messages import BlockProgress, Note, SidesReady, TrialDone
from fsadvisor.measure.probe import scratch_tree
from fsadvisor.measure.probe.disks import Way
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.run import opened
from fsadvisor.measure.trial.blocks import Rounds, TrialBudget, events, most_bytes, set_up_bytes
from fsadvisor.measure.trial.empty import halves
from fsadvisor.measure.trial.mounting import enter
from fsadvisor.measure.trial.outcome import AGAIN, BARE, CHANGED, DEFAULT, Progress, TrialComparison
from fsadvisor.measure.trial.testbed import Stand, images, standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fsadvisor.measure.messages import Event, TrialWork
    from fsadvisor.measure.probe.engine import EngineSession
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.trial.mounting import Privacy
    from fsadvisor.measure.trial.testbed import DevicePart, MountedScratch


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
            for said in scratch_tree.clear(folder):
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
                if isinstance(event, Progress):
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
                    stands[side] = stack.enter_context(standing(privacy, form, part, solid=solid))
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
            Stand(
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
