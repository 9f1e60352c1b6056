"""One short run of a job: what it did, how long each operation took, and what the disks below saw meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskWork:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
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
