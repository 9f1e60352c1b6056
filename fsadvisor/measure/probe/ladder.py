"""The fsync ladder: one fsync taken apart by four steps in turn.

A turn lasts a few hundredths of a second, so that what drifts hits all steps alike.

- *write*: 4 KiB over written blocks, O_DIRECT. The data's way to the disk; neither journal nor flush.
- *datasync*: the same and fdatasync(2). On ext4 with a journal and on XFS the call is one flush of the disk's cache: no
  block was allocated and no size changed, and a new mtime alone is not worth a commit. Its time alone is the flush as
  the filesystem sees it. Btrfs and ZFS, which copy on write, write a log too, ext4 without a journal the inode.
- *commit*: 4 KiB appended through the page cache and fsync(2), the figure of the job. The call holds the data, then
  the journal: ext4's descriptor and commit block, XFS's log record, Btrfs's log tree and superblock; with a flush
  before the last block, and that block by FUA or, where a disk has no FUA, a second flush.
- *dsync*: O_DIRECT and O_DSYNC over written blocks: the data and a flush, or a single FUA write where ext4 and XFS
  can. It stands beside the three parts and is none of them.

From them: *data* is a write; *flush* what the devices nearest to the filesystem that count flushes (`disks.Way`: the
disks, or a loop device, whose flush is an fsync of its image) counted for those of a commit, and for each flush that
the filesystem asked for the part of a datasync that they did not count (layers above them have that: dm-delay, a thin
pool). A second flush in place of FUA is made by such a device's own queue, below such layers. *journal* is the rest of
the commit. *flush_counted* is what those devices counted alone, for comparison, and *flush_disks* what the disks below
them did, where they are others. Times are medians; what devices count are sums, so it is taken as a share of the time
that was measured meanwhile: a mean would be that of its outliers.

Where this cannot be right: a disk that writes through is sent no flush, and *flush* is 0; what its FUA or its cache
costs is in data and journal. Where the filesystem writes more than the data in fdatasync, as the devices right below it
count, what layers add to a flush goes to the journal. Where direct writes go through the page cache all the same (ext4
with data=journal, Btrfs with compression), a write is next to nothing and the data goes to the journal, too. Of devices
that flush side by side the slowest counts. Without their counters (the stack cannot be followed, a kernel before 5.5, a
disk that counts none) there is no telling how many flushes a commit has, and only data and dsync are told.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import random
import resource
import time
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct, field

from fsadvisor import __version__
from fsadvisor.measure.probe import DiskWork, EngineError, ProbeWindow, disks, explained
from fsadvisor.measure.probe.scratch import scratch_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.jobs import Ladder
    from fsadvisor.measure.probe.scratch import ScratchFile

BLOCK_BYTES: Final = 4096
TURN_SECONDS: Final = 0.04
Step = Literal["write", "datasync", "commit", "dsync"]
STEPS: Final[tuple[Step, ...]] = ("write", "datasync", "commit", "dsync")
PARTS: Final = ("data", "journal", "flush")
"""What the figure is the sum of."""

_FEWEST: Final = 3
"""Operations in a turn, however slow the disk."""
_MOST: Final = 1000
"""Operations in a turn, however fast: more would wear the disk and tell nothing."""
_MORE_THAN_DATA: Final = 1.25
"""Bytes for a byte of a write without sync from which on a datasync writes more than its data."""


class Turns(Struct):
    """All turns of one step in a window."""

    seconds: float = 0.0
    total_ns: list[int] = field(default_factory=list)
    """Write and sync, for each operation."""
    sync_ns: list[int] = field(default_factory=list)
    """The sync call alone; 0 where there is none."""
    user_cpu_seconds: float = 0.0
    system_cpu_seconds: float = 0.0
    work: list[DiskWork | None] = field(default_factory=list)
    """What the disks did, for each turn."""
    operations: list[int] = field(default_factory=list)
    """How many there were, in each turn."""
    flushes: list[disks.Flushes | None] = field(default_factory=list)
    """What the device did that flushed longest, of the nearest that count flushes, for each turn."""
    flushes_below: list[disks.Flushes | None] = field(default_factory=list)
    """The same of the disks, where they are others."""

    def flushed(self) -> disks.Flushes | None:
        """The flushes of all turns; None where one turn's cannot be told."""
        return _all(self.flushes)

    def worked(self) -> DiskWork | None:
        """What the disks did in all turns; None where one turn's cannot be told."""
        known = [one for one in self.work if one is not None]
        return disks.summed(known) if len(known) == len(self.work) else None

    def bytes_each(self) -> float | None:
        """Bytes that the filesystem wrote per operation; not writes, of which an empty flush is one. Median of turns.

        Where its own device counts none, those of the disks.
        """
        known = [
            (one.sent_bytes or one.written_bytes) / count
            for one, count in zip(self.work, self.operations, strict=True)
            if one is not None
        ]
        return median(known) if known else None

    def counted_share(self) -> float | None:
        """The share of the sync calls' time that is counted as flushes; None where that cannot be told."""
        return self._share(self.flushed())

    def share_below(self) -> float | None:
        """The share that the disks count, where they are others."""
        return self._share(_all(self.flushes_below))

    def _share(self, flushed: disks.Flushes | None) -> float | None:
        spent_us = sum(self.sync_ns) / 1000
        return None if flushed is None or not spent_us else min(1.0, flushed.us / spent_us)


def _all(turns: list[disks.Flushes | None]) -> disks.Flushes | None:
    known = [one for one in turns if one is not None]
    if len(known) < len(turns) or not known:
        return None
    return disks.Flushes(count=sum(one.count for one in known), us=sum(one.us for one in known))


class LadderSession(Struct, frozen=True):
    """A file with written blocks, open in three ways, and one that grows."""

    direct: int
    """Open for direct I/O, like `durable`, which has O_DSYNC too; both are the same file."""
    durable: int
    growing: ScratchFile
    growing_bytes: int
    """It is emptied before it would grow beyond."""
    blocks: int
    block: mmap.mmap
    way: Way | None
    fua: bool | None
    """Whether every device that counts flushes has FUA; None where that is not known."""

    @property
    def engine(self) -> str:
        """Ours, fio or no fio: it takes longer to start fio than a turn lasts."""
        return f"fsadvisor {__version__}"

    def window(self, seconds: float) -> ProbeWindow:
        """Steps in turn until the time is over. Raises EngineError.

        But for `parts_us`, the window tells of the commits alone: their number, time and disk work.
        """
        turns: dict[Step, Turns] = {step: Turns() for step in STEPS}
        end = time.perf_counter() + seconds
        with explained(f"measuring in {self.growing.folder}"):
            first = 0
            while first == 0 or time.perf_counter() < end:
                for at in range(len(STEPS)):
                    step = STEPS[(first + at) % len(STEPS)]
                    self._turn(step, turns[step])
                first += 1
        commits = turns["commit"]
        return ProbeWindow(
            seconds=commits.seconds,
            operations=len(commits.total_ns),
            asked_bytes=len(commits.total_ns) * BLOCK_BYTES,
            beside_bytes=sum(len(turns[step].total_ns) for step in STEPS if step != "commit") * BLOCK_BYTES,
            latencies_ns=Counter(commits.total_ns),
            sync_ns=Counter(commits.sync_ns),
            user_cpu_seconds=commits.user_cpu_seconds,
            system_cpu_seconds=commits.system_cpu_seconds,
            disks=commits.worked(),
            parts_us=parts(turns, fua=self.fua),
        )

    def _turn(self, step: Step, turns: Turns) -> None:
        """One step for a short time, after a sync that leaves nothing of the step before to it."""
        os.fdatasync(self.direct)
        if step == "commit" and os.fstat(self.growing.descriptor).st_size + _MOST * BLOCK_BYTES > self.growing_bytes:
            self.growing.empty()
        before, used = disks.counted(self.way), resource.getrusage(resource.RUSAGE_SELF)
        start = time.perf_counter_ns()
        done = self._operations(step, start + round(TURN_SECONDS * 1e9), turns)
        after, total = disks.counted(self.way), resource.getrusage(resource.RUSAGE_SELF)
        turns.seconds += (done - start) / 1e9
        turns.operations.append(len(turns.total_ns) - sum(turns.operations))
        turns.user_cpu_seconds += total.ru_utime - used.ru_utime
        turns.system_cpu_seconds += total.ru_stime - used.ru_stime
        turns.work.append(disks.between(before, after))
        turns.flushes.append(disks.flushed(before, after))
        turns.flushes_below.append(disks.flushed_below(before, after))

    def _operations(self, step: Step, until: int, turns: Turns) -> int:
        """Write, and sync where the step has it, until the time is over; returns when that was."""
        descriptor = {"commit": self.growing.descriptor, "dsync": self.durable}.get(step, self.direct)
        sync = {"commit": os.fsync, "datasync": os.fdatasync}.get(step)
        offset = os.fstat(descriptor).st_size
        for count in range(1, _MOST + 1):
            if step == "commit":
                offset += BLOCK_BYTES if count > 1 else 0
            else:
                offset = random.randrange(self.blocks) * BLOCK_BYTES  # noqa: S311 - no secret
            start = time.perf_counter_ns()
            written = os.pwrite(descriptor, self.block, offset)
            middle = time.perf_counter_ns()
            if sync:
                sync(descriptor)
            now = time.perf_counter_ns()
            if written < BLOCK_BYTES:  # the next write would tell why
                raise OSError(errno.ENOSPC, "")
            turns.total_ns.append(now - start)
            turns.sync_ns.append(now - middle if sync else 0)
            if now >= until and count >= _FEWEST:
                break
        return now


@contextlib.contextmanager
def session(work: Ladder, folder: Path, way: Way | None) -> Iterator[LadderSession]:
    """A session on two new scratch files in the folder. Raises EngineError."""
    with contextlib.ExitStack() as stack:
        written = stack.enter_context(scratch_file(folder, work.file_bytes, "written", synced=True))
        growing = stack.enter_context(scratch_file(folder, 0, "sparse", synced=True))
        block = stack.enter_context(mmap.mmap(-1, BLOCK_BYTES))
        block.write(os.urandom(BLOCK_BYTES))
        written.fill()
        opened = [_direct(written, flags) for flags in (0, os.O_DSYNC)]
        for descriptor in opened:
            stack.callback(os.close, descriptor)
        yield LadderSession(
            direct=opened[0],
            durable=opened[1],
            growing=growing,
            growing_bytes=max(work.file_bytes, _MOST * BLOCK_BYTES),
            blocks=work.file_bytes // BLOCK_BYTES,
            block=block,
            way=way,
            fua=disks.have_fua(way),
        )


def _direct(file: ScratchFile, flags: int) -> int:
    """Open the file once more, for direct I/O."""
    try:
        return os.open(file.path, os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC | flags)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise EngineError(
                f"the filesystem of {file.folder} has no direct I/O, without which the data's part cannot be told"
            ) from error
        raise


def parts(turns: Mapping[Step, Turns], *, fua: bool | None) -> dict[str, float]:
    """What a commit is made of in this window, in µs: medians for time, and per commit for what the disks counted.

    Only data and dsync where flushes or FUA are not known.
    """
    data = median(turns["write"].total_ns) / 1000
    told_here = {"data": data, "dsync": median(turns["dsync"].total_ns) / 1000}
    commits, datasyncs = turns["commit"], turns["datasync"]
    flushed, share, share_alone = commits.flushed(), commits.counted_share(), datasyncs.counted_share()
    if flushed is None or share is None or share_alone is None or fua is None:
        return told_here
    whole = median(commits.sync_ns) / 1000
    above = 0.0
    if flushed.count and not _writes_more_than_data(turns):
        above = median(datasyncs.sync_ns) / 1000 * (1 - share_alone)
    flush = min(whole, whole * share + above * _asked_for(flushed.count / len(commits.sync_ns), fua=fua))
    journal = max(0.0, whole - data - flush)
    found = told_here | {"flush": flush, "journal": journal, "flush_counted": whole * share}
    share_below = commits.share_below()
    return found if share_below is None else found | {"flush_disks": whole * share_below}


def _writes_more_than_data(turns: Mapping[Step, Turns]) -> bool:
    write, datasync = turns["write"].bytes_each(), turns["datasync"].bytes_each()
    return write is None or datasync is None or datasync > write * _MORE_THAN_DATA


def _asked_for(flushes: float, *, fua: bool) -> float:
    """How many of a commit's flushes the filesystem asked for: half, where the second stands in for FUA."""
    return flushes if fua else max(flushes / 2, min(flushes, 1.0))
