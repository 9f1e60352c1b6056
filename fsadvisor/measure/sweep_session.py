"""A sweep as whoever asks for it sees it: what it takes, what speaks against it, its points as they come."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.measure import child, sweep_worker
from fsadvisor.measure.messages import Finished, LeftOut, Point, Started, SweepWork
from fsadvisor.measure.probe import EngineError, cost, scratch_record
from fsadvisor.measure.probe.cost import Cost
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.measure.sweep_worker import MOST_BYTES
from fsadvisor.measure.trial import mounting
from fsadvisor.survey.filesystem_types.registry import IN_PAPERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fsadvisor.measure.messages import Event

SIZE_BYTES: Final = 1 << 30
DELAYS_MS: Final[tuple[float, ...]] = tuple(float(ms) for ms in range(11))
"""The paper's, from 0 to 10 ms."""
SHORT_DELAYS_MS: Final[tuple[float, ...]] = (0.1, 0.2, 0.5)
"""Below one millisecond, by null_blk where the kernel has it."""
FILESYSTEMS: Final = IN_PAPERS
WORKLOADS: Final = ("web", "file-server", "mail")
_SET_UP_SECONDS: Final = 10.0
"""For each workload on each filesystem: mkfs, files, workers."""
_LEVEL_OFF: Final = 1.2


class SweepError(Exception):
    """Why nothing can be measured: one sentence."""


class Planned(Struct, frozen=True, kw_only=True):
    """What will be measured, and what will not and why."""

    asked: SweepWork
    left_out: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """How long it takes, about."""
        longest = max(self.asked.delays_ms)
        each = sum(self.asked.seconds * max(0.1, (ms + 1) / (longest + 1)) for ms in self.asked.delays_ms)
        pairs = len(self.asked.filesystems) * len(self.asked.workloads)
        return pairs * (self.asked.passes * each + _SET_UP_SECONDS)

    @property
    def cost(self) -> Cost:
        """Files are laid out once for each workload on each filesystem."""
        laid_out = sum(cost.laid_out_bytes(JOBS[name]) for name in self.asked.workloads)
        pairs = len(self.asked.filesystems) * len(self.asked.workloads)
        return Cost(
            written_bytes=pairs * MOST_BYTES + len(self.asked.filesystems) * laid_out,
            room_bytes=self.asked.size_bytes,
            files=1,
            least_seconds=0.0,
            most_seconds=self.seconds,
        )

    def words(self) -> Iterator[str]:
        """What it takes, and what speaks against it, a line each."""
        work = self.asked
        yield f"{len(work.filesystems)} filesystems, {len(work.workloads)} workloads, {len(work.delays_ms)} delays"
        yield f"about {self.seconds / 60:.0f} minutes"
        yield f"reads and writes up to {bytes_text(self.cost.written_bytes)}"
        yield f"{bytes_text(work.size_bytes)} in {work.folder}, in an image without a name that is gone with the sweep"
        if any(0 < ms < 1 for ms in work.delays_ms):
            yield f"up to {bytes_text(work.size_bytes)} of memory, for latencies below 1 ms"
        yield from self.left_out


def planned(
    folder: Path,
    *,
    filesystems: tuple[str, ...] | None,
    workloads: tuple[str, ...] | None,
    delays_ms: tuple[float, ...] | None,
    passes: int,
    seconds: float,
) -> Planned:
    """See what there is to measure with. Raises SweepError, and EngineError where a tool does not answer."""
    if os.geteuid() != 0:
        raise SweepError("a sweep makes devices and mounts: run it as root")
    if not os.path.isdir(folder):  # noqa: PTH112 - of any name
        raise SweepError(f"--on-scratch: {folder} is no directory")
    if any("\ud800" <= sign <= "\udfff" for sign in str(folder.resolve())):
        raise SweepError(f"--on-scratch: the name of {folder} is no UTF-8: name another directory")
    if missing := sweep_worker.delay_missing():
        raise SweepError(f"{missing}: without it no device's latency can be set")
    left_out: list[str] = []
    delays = delays_ms or (*SHORT_DELAYS_MS, *DELAYS_MS)
    if any(not ms.is_integer() for ms in delays) and (missing := sweep_worker.memory_missing()):
        left_out.append(f"left out: latencies that are no whole milliseconds; {missing}")
        delays = tuple(ms for ms in delays if ms.is_integer())
    made = tuple(it for it in filesystems or FILESYSTEMS if mounting.path_of(f"mkfs.{it}"))
    left_out.extend(
        f"left out: {it}, because mkfs.{it} is not installed" for it in filesystems or FILESYSTEMS if it not in made
    )
    if not made:
        raise SweepError("no filesystem can be made: mkfs is missing for all of them")
    request = SweepWork(
        folder=str(folder.resolve()),
        base="image",
        size_bytes=SIZE_BYTES,
        filesystems=made,
        workloads=workloads or WORKLOADS,
        delays_ms=tuple(sorted(delays)),
        passes=passes,
        seconds=seconds,
    )
    return Planned(asked=request, left_out=tuple(left_out))


def cleared(folder: Path) -> Iterator[str]:
    """Take away what a kill left; what was done, a sentence each."""
    yield from sweep_worker.clear_delayed()
    yield from sweep_worker.clear_memory()
    yield from scratch_record.clear(folder)


def swept(request: SweepWork) -> Iterator[Event]:
    """What the worker tells, as it comes. Raises EngineError. Closed early, it ends that process."""
    for event in child.events(request):
        if isinstance(event, Finished) and event.error:
            raise EngineError(event.error)
        yield event


def remarks(events: list[Event]) -> tuple[str, ...]:
    """What a reader has to know: what failed, and where the device was slower than asked."""
    found = [
        f"{it.side}{f' under {it.job}' if it.job else ''} failed: {it.why}" for it in events if isinstance(it, LeftOut)
    ]
    seen = [it for it in events if isinstance(it, Point)]
    off = sorted(
        {it.asked_ms for it in seen if it.device_ms and it.asked_ms and it.device_ms > _LEVEL_OFF * it.asked_ms}
    )
    if off:
        found.append(
            "The device took more than a fifth longer than asked at "
            f"{', '.join(f'{ms:g}' for ms in off)} ms: dm-delay counts in the kernel's ticks. "
            "Curves are drawn over what it took."
        )
    if any(it.device_ms is None for it in seen):
        found.append(
            "Where a window made too few requests to time, the delay that was asked for stands for the latency."
        )
    return tuple(found)


def started(event: Event) -> str:
    """A line for who watches, '' for what is none."""
    return f"{event.side}, {event.job}" if isinstance(event, Started) else ""
