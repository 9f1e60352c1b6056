"""What the disks below a target did meanwhile, by the kernel's counters: raw differences, other writers included.

A flush is not the same all the way down. The kernel counts and times one where requests are queued (blk-flush.c): at
disks, at loop devices, where it is an fsync of the image, at nbd, rbd and multipath devices; md and most of device
mapper pass it on uncounted. What a filesystem waits for is the flush of the nearest device that counts them, of which
what the disks below count may be the smallest part. Bytes are the disks': what a write costs in the end.

"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from fsadvisor.facts import Known, Unknown
from fsadvisor.measure.probe import DiskWork
from fsadvisor.readers import block_files
from fsadvisor.storage import Below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fsadvisor.readers.block_files import IoCounters
    from fsadvisor.storage import Storage, Subject

_Number = TypeVar("_Number", int, float)
_SYSFS: Final = Path("/sys/block")


class Way(Struct, frozen=True, kw_only=True):
    """The devices on the way from a filesystem down to its disks whose counters are read, by kernel name."""

    leaves: tuple[str, ...]
    flushed: tuple[str, ...] | None
    """Those that count flushes, on each way down the nearest to the filesystem; None where one way has none."""
    top: tuple[str, ...]
    """Right below the filesystem, where it is counted what it writes itself; a partition as 'vda/vda1'."""
    silent: tuple[str, ...] = ()
    """Leaves that may be sent flushes and count none."""

    @classmethod
    def straight_to(cls, *names: str) -> Way:
        """To disks right below a filesystem that count flushes."""
        return cls(leaves=names, flushed=names, top=names)

    @property
    def straight(self) -> bool:
        """Whether no device above the disks counts flushes."""
        return self.flushed is None or set(self.flushed) == set(self.leaves)


class Counted(Struct, frozen=True):
    """The counters of the devices on a way since boot; `each` has those of `top` only as far as they can be read."""

    way: Way
    each: Mapping[str, IoCounters]

    def __getitem__(self, name: str) -> IoCounters:
        """Of a device that is read."""
        return self.each[name]


class Flushes(Struct, frozen=True, kw_only=True):
    """What one disk flushed between two readings; time in µs, which the kernel tells in whole milliseconds."""

    count: int
    us: float


def leaves(storage: Storage, mount: str) -> tuple[str, ...] | None:
    """The kernel names of the disks below a mount point, or None where the stack cannot be followed to them."""
    for subject in storage.subjects:
        if subject.id == f"mount:{mount}":
            below = subject.scope.get("below")
            disks = below.disks if isinstance(below, Below) else None
            return disks.value if isinstance(disks, Known) and disks.value else None
    return None


def way(storage: Storage, mount: str, sysfs: Path = _SYSFS) -> Way | None:
    """The way from a mount point down, or None where the stack cannot be followed to its disks."""
    found = leaves(storage, mount)
    if found is None:
        return None
    subjects = {one.id: one for one in storage.subjects}
    start = subjects[f"mount:{mount}"].below
    top = _nearest(subjects, start, lambda one: one.kind in ("disk", "layer"))
    nearest = _nearest(subjects, start, lambda one: _counts_flushes(_name(one), sysfs) or _name(one) in found)
    ends = {_name(one) for one in nearest}
    silent = tuple(name for name in found if not _counts_flushes(name, sysfs) and not _sent_none(name, sysfs))
    return Way(
        leaves=found,
        flushed=None if not ends or ends & set(silent) else tuple(sorted(ends)),
        top=tuple(_place(one, subjects, sysfs) for one in top),
        silent=silent,
    )


def _nearest(subjects: Mapping[str, Subject], start: Iterable[str], ends: Callable[[Subject], bool]) -> list[Subject]:
    """On each way down the first device that is one of the ends."""
    found, seen, waiting = [], set[str](), list(start)
    while waiting:
        name = waiting.pop(0)
        subject = subjects.get(name)
        if subject is None or name in seen:
            continue
        seen.add(name)
        if subject.kind in ("disk", "layer") and ends(subject):
            found.append(subject)
        else:
            waiting.extend(subject.below)
    return found


def _name(subject: Subject) -> str:
    return subject.id.partition(":")[2]


def _counts_flushes(name: str, sysfs: Path) -> bool:
    """Whether requests are queued there: no partition, no md, none of device mapper but multipath (block/blk-mq.c)."""
    return (sysfs / name / "mq").is_dir()


def _sent_none(name: str, sysfs: Path) -> bool:
    """Whether the kernel takes out flushes before they reach it."""
    try:
        return (sysfs / name / "queue/write_cache").read_text().strip() == "write through"
    except OSError:
        return False


def _place(subject: Subject, subjects: Mapping[str, Subject], sysfs: Path) -> str:
    """Where its counters are: those of a partition are in the folder of its disk."""
    name = _name(subject)
    inside = [f"{_name(subjects[at])}/{name}" for at in subject.below if at in subjects]
    return next((place for place in inside if (sysfs / place / "stat").is_file()), name)


def counted(way: Way | None, sysfs: Path = _SYSFS) -> Counted | None:
    """Read the counters now; None where there is no way, or a disk has none to read (any more)."""
    if way is None:
        return None
    each = {name: _counters(name, sysfs) for name in dict.fromkeys((*way.leaves, *(way.flushed or ()), *way.top))}
    if any(each[name] is None for name in (*way.leaves, *(way.flushed or ()))):
        return None
    return Counted(way, {name: one for name, one in each.items() if one is not None})


def _counters(name: str, sysfs: Path) -> IoCounters | None:
    try:
        counters = block_files.parse_block_stat((sysfs / name / "stat").read_text())
    except OSError:
        return None
    return None if isinstance(counters, Unknown) else counters


def between(before: Counted | None, after: Counted | None) -> DiskWork | None:
    """What all disks did between two readings, summed; None where that cannot be told."""
    if before is None or after is None or _restarted(before, after):
        return None
    way = after.way

    def summed(names: Iterable[str], pick: Callable[[IoCounters], int | None]) -> int | None:
        return _summed(before, after, names, pick)

    flush_ms = None if way.silent else summed(way.leaves, lambda it: it.flush_ms)
    return DiskWork(
        flushes=None if way.silent else summed(way.leaves, lambda it: it.flushes),
        flush_us=None if flush_ms is None else flush_ms * 1000.0,
        sent_flushes=None if way.flushed is None else summed(way.flushed, lambda it: it.flushes),
        write_ios=summed(way.leaves, lambda it: it.writes) or 0,
        written_bytes=summed(way.leaves, lambda it: it.write_bytes) or 0,
        sent_bytes=summed(way.top, lambda it: it.write_bytes),
        read_ios=summed(way.leaves, lambda it: it.reads) or 0,
        read_bytes=summed(way.leaves, lambda it: it.read_bytes) or 0,
        waited_us=1000.0 * (summed(way.leaves, lambda it: it.read_ms + it.write_ms) or 0),
    )


def flushed(before: Counted | None, after: Counted | None) -> Flushes | None:
    """What that device did, of the nearest that count flushes, which flushed longest.

    Several are flushed side by side, and the slowest is waited for.
    """
    return _longest(before, after, lambda way: way.flushed or ())


def flushed_below(before: Counted | None, after: Counted | None) -> Flushes | None:
    """The same of the disks, where others above them are nearer; None else, too."""
    return _longest(before, after, lambda way: () if way.silent or way.straight else way.leaves)


def _longest(before: Counted | None, after: Counted | None, of: Callable[[Way], tuple[str, ...]]) -> Flushes | None:
    if before is None or after is None or _restarted(before, after):
        return None
    each = []
    for name in of(after.way):
        now, then = after[name], before[name]
        if now.flushes is None or now.flush_ms is None or then.flushes is None or then.flush_ms is None:
            return None
        each.append(Flushes(count=now.flushes - then.flushes, us=(now.flush_ms - then.flush_ms) * 1000.0))
    return max(each, key=lambda one: (one.us, one.count), default=None)


def summed(works: Sequence[DiskWork]) -> DiskWork:
    """What was done in all of several spans."""
    return DiskWork(
        flushes=_sum([one.flushes for one in works]),
        flush_us=_sum([one.flush_us for one in works]),
        sent_flushes=_sum([one.sent_flushes for one in works]),
        write_ios=sum(one.write_ios for one in works),
        written_bytes=sum(one.written_bytes for one in works),
        sent_bytes=_sum([one.sent_bytes for one in works]),
        read_ios=sum(one.read_ios for one in works),
        read_bytes=sum(one.read_bytes for one in works),
        waited_us=_sum([one.waited_us for one in works]),
    )


def have_fua(way: Way | None, sysfs: Path = _SYSFS) -> bool | None:
    """Whether the kernel writes FUA to all that count flushes; where one has none, it flushes after the write instead.

    That is decided where requests are queued, so at these. None where they are not known, or do not tell.
    """
    if way is None or way.flushed is None:
        return None
    try:
        return all((sysfs / name / "queue/fua").read_text().strip() == "1" for name in way.flushed)
    except OSError:
        return None


def _restarted(before: Counted, after: Counted) -> bool:
    """Whether the readings are not of the same disks: counters of one disk never go back."""
    return (
        before.way != after.way
        or before.each.keys() != after.each.keys()
        or any(after[name].writes < then.writes or after[name].reads < then.reads for name, then in before.each.items())
    )


def _summed(
    before: Counted, after: Counted, names: Iterable[str], pick: Callable[[IoCounters], int | None]
) -> int | None:
    total = 0
    for name in names:
        if name not in before.each:
            return None
        start, end = pick(before[name]), pick(after[name])
        if start is None or end is None:
            return None
        total += end - start
    return total


def _sum(amounts: Sequence[_Number | None]) -> _Number | None:
    """The sum, None where one of them is not known."""
    known = [one for one in amounts if one is not None]
    return sum(known) if len(known) == len(amounts) else None


_Record = TypeVar("_Record")


def record(path: str, parse: Callable[[str], _Record]) -> _Record | None:
    """What a reader makes of a file of the kernel's; None where it cannot be read."""
    try:
        with open(path, encoding="ascii") as file:  # noqa: PTH123 - the kernel's own path
            return parse(file.read())
    except OSError:
        return None
