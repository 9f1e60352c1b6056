"""The same work on several sides: columns and rows of the table, a side and a workload each.

A side is a mounted path as it is, the device below it, or a filesystem made for this in an image: those that the
filesystem types name. A workload is a job; the size of its files is one and the same on all sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.measure.probe import cost
from fsadvisor.measure.probe.jobs import JOBS, SUITES, Existing, Io, Ladder, Mix
from fsadvisor.measure.trial.testbed import LEAST_BYTES, ScratchFilesystem
from fsadvisor.survey.filesystem_types.registry import NO_FLUSH_OPTIONS, TYPES, type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.probe.cost import Cost
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.survey.filesystem_types import Variant


_MIB: Final = 1 << 20
_RANDOM_BYTES: Final = 64 * _MIB
_STREAM_BYTES: Final = 128 * _MIB
_IMAGE_LEAST: Final = 384 * _MIB
_BESIDE_FILES: Final = 192 * _MIB
"""Of an image: journal, metadata, and what is free."""
_TIMES_ROOM: Final = 3
_MOST_BYTES: Final = 3 << 30
"""Written by a job on a side: they are many, and often on one drive."""

USUAL: Final = (
    *("commit-fdatasync", "fsync-ladder", "random-write-1", "random-write-32", "random-read-1", "random-read-32"),
    *("write-direct", "read-direct", "create-1", "mail"),
)
"""Where nobody says which: the same 4 KiB at a depth of 1 and of 32, synced or not, streams, names, and all of it."""


def jobs(names: Iterable[str]) -> tuple[Job, ...]:
    """The jobs of these ids with the file that all sides have; what needs a person's own files is none of them."""
    return tuple(fitted(JOBS[name]) for name in dict.fromkeys(names) if comparable(JOBS[name]))


def comparable(job: Job) -> bool:
    """Whether every side can be given the job."""
    return not isinstance(job.work, Existing)


def of_suite(suite: str) -> tuple[str, ...]:
    """The ids of a suite's jobs that may be compared."""
    return tuple(name for name in SUITES[suite] if comparable(JOBS[name]))


def fitted(job: Job) -> Job:
    """With a file that has room in every image."""
    if not isinstance(job.work, Io | Ladder):
        return job
    streams = isinstance(job.work, Io) and job.work.block_bytes >= _MIB
    return with_file(job, min(job.work.file_bytes, _STREAM_BYTES if streams else _RANDOM_BYTES))


def with_file(job: Job, size: int | None) -> Job:
    """With a file of this size in bytes; None leaves it."""
    if size is None or not isinstance(job.work, Io | Ladder):
        return job
    return replace(job, work=replace(job.work, file_bytes=size))


def file_bytes(job: Job) -> int | None:
    """How large its file is; None where it has none, or many."""
    return job.work.file_bytes if isinstance(job.work, Io | Ladder) else None


def most_bytes(job: Job) -> int:
    """How much a job may write on each side in its windows; 0 where it writes nothing."""
    return min(cost.measured_bytes(job), _MOST_BYTES)


def cost_of(job: Job, seconds: float) -> Cost:
    """What the job takes on one side."""
    one = cost.of(job, seconds)
    spared = cost.measured_bytes(job) - most_bytes(job)
    return replace(one, written_bytes=max(0, one.written_bytes - spared))


def image_bytes(chosen: Sequence[Job]) -> int:
    """How large each image is: the same for all, with room for the largest job."""
    room = max((cost.of(job, 0).room_bytes for job in chosen), default=0)
    return max(_IMAGE_LEAST, _TIMES_ROOM * room + _BESIDE_FILES, *LEAST_BYTES.values())


Kind: TypeAlias = Literal["device", "mounted", "image"]
"""The block device below a path, of which is only read; a path as it is mounted; a filesystem in an image."""
Promise: TypeAlias = Literal["flushes", "no flushes", "not known"]
"""What a sync ends with: a flush of the disks' caches, none (nobarrier), or that could not be told."""


class Side(Struct, frozen=True, kw_only=True):
    """One of those that are compared. Its name is its column's."""

    name: str
    kind: Kind
    fs_type: str
    """'' for a device."""
    options: str
    """Mount options; '' for a device."""
    made_with: str = ""
    """Arguments of mkfs beyond its defaults."""
    promise: Promise = "not known"
    above: str = ""
    """Of a device: the side whose filesystem is on it."""
    in_image: bool = False
    """A filesystem in an image, or the loop device below one."""
    dangers: tuple[str, ...] = ()
    """What its options cost in safety: a sentence for each."""
    note: str = ""
    """What else a reader has to know of it."""

    @property
    def ground(self) -> Literal["image", "bare"]:
        """What is below: figures of images hold the filesystem under the image, too, and those of paths do not."""
        return "image" if self.in_image else "bare"


class Cell(Struct, frozen=True, kw_only=True):
    """One job on one side."""

    side: Side
    job: Job
    result: Result | None
    """None where it was not begun."""
    why: str = ""
    """Why it was not, in a sentence."""


def syncs(job: Job) -> bool:
    """Whether syncs are part of what is timed, so that what a sync promises is part of the question."""
    match job.work:
        case Io(sync=sync):
            return sync != "none"
        case Ladder():
            return True
        case Mix(steps=steps):
            return "fsync" in steps
    return False


class FilesystemChoice(Struct, frozen=True, kw_only=True):
    """A filesystem to be made."""

    form: ScratchFilesystem
    says: str
    """What it is, in a few words."""
    dangers: tuple[str, ...] = ()


def _choice(fs_type: str, made: Variant) -> FilesystemChoice:
    name = f"{fs_type}-{made.suffix}" if made.suffix else fs_type
    form = ScratchFilesystem(name=name, fs_type=fs_type, mkfs=made.mkfs, options=made.options)
    return FilesystemChoice(form=form, says=made.says, dangers=made.dangers)


_EVERY: Final = tuple(_choice(fs_type.name, made) for fs_type in TYPES.values() for made in fs_type.variants)
CHOICES: Final[Mapping[str, FilesystemChoice]] = {it.form.name: it for it in _EVERY}
"""Every filesystem that can be made, by its name."""


def promise(fs_type: str, options: Sequence[str], write_cache: str | None) -> Promise:
    """What a sync ends with there; `write_cache` is that of the loop device, whose 'write through' drops flushes."""
    if NO_FLUSH_OPTIONS & set(options) or write_cache == "write through":
        return "no flushes"
    return "flushes" if type_of(fs_type).flushes_after_sync and write_cache is not None else "not known"


def kernel_has(fs_type: str, machine: Machine) -> Fact[bool]:
    """Whether the kernel has the filesystem, built in, loaded or as a module."""
    listed = machine.read("/proc/filesystems")
    if not isinstance(listed, Unknown) and fs_type in listed.text.split():
        return Known(True, "/proc/filesystems")
    release = machine.read("/proc/sys/kernel/osrelease")
    if isinstance(release, Unknown):
        return release
    modules = f"/lib/modules/{release.text.strip()}/modules.dep"
    found = machine.read(modules)
    if isinstance(found, Unknown):
        none = found.cause is Cause.NOT_EXPOSED and not isinstance(listed, Unknown)
        return Known(False, "/proc/filesystems") if none else found
    return Known(f"/{fs_type}.ko" in found.text, modules)
