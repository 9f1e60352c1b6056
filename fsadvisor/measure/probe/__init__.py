"""Short, safe measurements: what to run (job), whether it may run here (guard), how often, and what came out.

Here stands what the measuring loop asks of an engine: one short run of a job at a time, and what it told of it. Engines
are fio, and our own where fio is missing or worse. What the kernel refused is a sentence for the person who asked.
"""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class DiskWork(Struct, frozen=True, kw_only=True):
    """What the leaf disks below the target did in a window, summed: differences of /sys/block/*/stat."""

    flushes: int | None
    """None before Linux 5.5, which counts none, and where a disk counts none that it may be sent."""
    flush_us: float | None
    """Time spent on flushes, as the kernel counts it (in whole milliseconds per disk)."""
    write_ios: int
    written_bytes: int
    read_ios: int
    read_bytes: int
    waited_us: float | None = None
    """Time that reads and writes took, summed over them; None where it was not read."""
    sent_flushes: int | None = None
    """Flushes that the filesystem sent, as the nearest devices count that count any: where these are the leaf disks,
    the same as `flushes`. None where that cannot be told."""
    sent_bytes: int | None = None
    """Bytes written to the devices right below the filesystem; None where their counters cannot be read."""

    @property
    def filesystem_bytes(self) -> int:
        """Bytes that the filesystem wrote itself; those of the disks, which others write to, where only they count."""
        return self.written_bytes if self.sent_bytes is None else self.sent_bytes


class ProbeWindow(Struct, frozen=True, kw_only=True):
    """What one engine run measured. Times are of this window alone, set-up left out."""

    seconds: float
    operations: int
    asked_bytes: int
    """Bytes that the job itself read or wrote."""
    early_bytes: int = 0
    """Of these, the ones before its time began, while the disk came to its pace: part of what `disks` saw."""
    beside_bytes: int = 0
    """Bytes written besides, by steps that the figure is not about (the ladder's others); they wear the disk too."""
    latencies_ns: Mapping[int, int] = field(default_factory=dict)
    """Histogram: nanoseconds (the bin's middle) -> how many operations of the kind the headline is about."""
    sync_ns: Mapping[int, int] = field(default_factory=dict)
    """Histogram of the fsync, fdatasync or O_DSYNC write alone; empty where nothing is synced."""
    user_cpu_seconds: float | None = 0.0
    system_cpu_seconds: float | None = 0.0
    """None where the engine does not tell."""
    disks: DiskWork | None = None
    """None where the stack cannot be followed to its disks."""
    parts_us: Mapping[str, float] = field(default_factory=dict)
    """What one operation is made of, where the job takes it apart: the ladder's medians, none below 0."""
    extents: int | None = None
    """How many extents the file had afterwards (allocation, existing files)."""
    void: str = ""
    """Why it does not count: another writer on the disk, the engine stalled, …; '' where it does."""

    @property
    def bytes_per_s(self) -> float | None:
        """How fast it read or wrote; None of a window that took no time."""
        return (self.asked_bytes - self.early_bytes) / self.seconds if self.seconds > 0 else None


class EngineError(Exception):
    """Why a job cannot go on: no room, a disk error, a tool that failed; one sentence for the person who asked."""


class EngineSession(Protocol):
    """A job that is set up on its target: the file is written, the folder filled. Made by a context manager."""

    @property
    def engine(self) -> str:
        """Who measures: 'fio 3.33', or 'fsadvisor 0.1.0, in place of fio' with how far the two were seen to differ."""
        ...

    def window(self, seconds: float) -> ProbeWindow:
        """Run for about so long and tell what happened. Raises EngineError."""
        ...


_WORDS: Final = {
    errno.ENOSPC: "there is no space left on the filesystem, or on what it stands on",
    errno.EDQUOT: "the quota is used up",
    errno.EROFS: "the filesystem is read-only, or has become so",
    errno.EIO: "the disk reported an error; look into the kernel's log",
    errno.ENODEV: "the device is gone",
    errno.ENXIO: "the device is gone",
    errno.ESTALE: "the filesystem is gone",
    errno.ENOENT: "it is gone",
    errno.EFBIG: "the file would be larger than the filesystem or a limit (ulimit -f) allows",
    errno.EMFILE: "too many files are open (ulimit -n)",
}


def because(number: int | None, doing: str) -> EngineError:
    """The error for an errno: 'while writing the scratch file in /srv: there is no room left (ENOSPC)'."""
    name = errno.errorcode.get(number or 0, "")
    words = _WORDS.get(number or 0, os.strerror(number).lower() if number else "the reason is not known")
    return EngineError(f"while {doing}: {words}" + (f" ({name})" if name else ""))


@contextlib.contextmanager
def explained(doing: str) -> Iterator[None]:
    """Turn a refusal of the kernel into an EngineError that says what was being done, and where."""
    try:
        yield
    except OSError as error:
        raise because(error.errno, doing) from error
