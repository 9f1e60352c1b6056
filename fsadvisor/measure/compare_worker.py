"""What a comparison's worker does: makes the filesystems in images, and runs each job on all sides in turn.

A side may be the block device below a filesystem: of it the very blocks are read that a scratch file of ours lies in,
and nothing is written. Blocks that were never written, or trimmed, a drive answers without its flash, and so faster
than any file can be read. So a scratch file is written, its place on the device is asked of the filesystem (FIEMAP),
the device is opened for reading alone, and what stands there is held against the file before it is believed. fio reads
the longest piece that the file has, at the same block and queue depth, by --readonly, and without the BLKFLSBUF that it
would begin with. Where the filesystem translates its addresses itself (Btrfs, several devices) there is no such place.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import random
import stat
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.machine.inodes import pieces
from fsadvisor.measure.compare import CHOICES, Side, promise, rounds, with_file
from fsadvisor.measure.compare.rounds import Entrant
from fsadvisor.measure.messages import JobDone, LeftOut, Note, SideReady, Started, of_window
from fsadvisor.measure.probe import EngineError, disks, explained, fio, scratch_record
from fsadvisor.measure.probe.disks import Way
from fsadvisor.measure.probe.jobs import JOBS, Io
from fsadvisor.measure.probe.measure import Where
from fsadvisor.measure.probe.run import opened, where_looked
from fsadvisor.measure.probe.scratch import scratch_file
from fsadvisor.measure.trial.mounting import enter
from fsadvisor.measure.trial.testbed import images, mounted_scratch
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fsadvisor.machine.inodes import Extent
    from fsadvisor.measure.messages import ComparePath, CompareWork, Event
    from fsadvisor.measure.probe import ProbeWindow
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.probe.scratch import ScratchFile
    from fsadvisor.measure.trial.mounting import Privacy
    from fsadvisor.measure.trial.testbed import DevicePart, MountedScratch


Emit: TypeAlias = "Callable[[Event], None]"

_BELOW_IMAGE = "loop device"


def run(wanted: CompareWork, emit: Emit, stop: Stop) -> None:
    """Every job on every side that takes it. Raises EngineError; Stopped before the first job."""
    for folder in {os.fsdecode(it.folder) for it in wanted.paths}:
        for text in scratch_record.clear(Path(folder)):
            emit(Note(text=text))
    with contextlib.ExitStack() as stack:
        entrants = [*map(_as_it_is, wanted.paths), *_made(wanted, emit, stop, stack)]
        _measure(wanted, entrants, emit, stop)


class _Entrant:
    """An entrant, and what its side is."""

    def __init__(self, side: Side, entrant: Entrant) -> None:
        self.side, self.entrant = side, entrant

    def takes(self, job: Job) -> bool:
        """Whether the side can be given the job."""
        return self.side.kind != "device" or fits_device(job)


def _as_it_is(asked: ComparePath) -> _Entrant:
    """A mounted path, or the device below it."""
    folder = Path(os.fsdecode(asked.folder))
    where = Where(
        target=asked.side.name,
        mount=asked.mount,
        write_back=asked.write_back,
        way=asked.below,
        depends=asked.depends,
    )
    below = asked.side.kind == "device"
    opener = where_looked(open_device if below else opened, asked.seen)
    return _Entrant(
        asked.side,
        Entrant(
            name=asked.side.name,
            where=where,
            opened=lambda job: opener(job, folder, asked.below),
            rest=(lambda: None) if below else partial(_rest, folder, whole=False),
        ),
    )


def _made(wanted: CompareWork, emit: Emit, stop: Stop, stack: contextlib.ExitStack) -> Iterator[_Entrant]:
    """The filesystems in images, for as long as the stack; those that cannot be made are told."""
    if not wanted.images:
        return
    folder = Path(os.fsdecode(wanted.image_folder))
    with stop.interruptible():
        paths = (Path(os.fsdecode(it.folder)) for it in wanted.paths)
        privacy = enter([folder, *paths, Path(__file__), Path(sys.executable), Path(sys.prefix)])
        parts = stack.enter_context(images(folder, len(wanted.images), wanted.image_bytes))
    read_below = False
    for name, part in zip(wanted.images, parts, strict=True):
        emit(Started(at=0, job="", side=name))
        found = _stands(name, part, privacy, emit, stop, stack)
        if found is None:
            continue
        yield _in_image(name, found, emit)
        if wanted.devices and not read_below and type_of(found.form.fs_type).places_are_offsets:
            read_below = True
            yield _below_image(name, found, emit)


def _stands(
    name: str, part: DevicePart, privacy: Privacy, emit: Emit, stop: Stop, stack: contextlib.ExitStack
) -> MountedScratch | None:
    try:
        with stop.interruptible():
            return stack.enter_context(mounted_scratch(privacy, CHOICES[name].form, part))
    except EngineError as error:
        emit(LeftOut(side=name, why=str(error)))
        return None


def _in_image(name: str, found: MountedScratch, emit: Emit) -> _Entrant:
    choice = CHOICES[name]
    side = Side(
        name=name,
        kind="image",
        in_image=True,
        fs_type=found.form.fs_type,
        options=",".join(found.options),
        made_with=" ".join(found.mkfs),
        promise=promise(found.form.fs_type, (*found.options, *found.form.options), found.write_cache),
        dangers=choice.dangers,
        note="" if found.direct_io else "its loop device goes through the page cache of the filesystem below",
    )
    emit(SideReady(side=side))
    return _Entrant(
        side,
        Entrant(
            name=name,
            where=_where(name, found),
            opened=partial(opened, target=found.folder, way=Way.straight_to(found.loop)),
            rest=partial(_rest, found.folder, whole=True),
        ),
    )


def _below_image(name: str, found: MountedScratch, emit: Emit) -> _Entrant:
    side = Side(name=_BELOW_IMAGE, kind="device", in_image=True, fs_type="", options="", above=name)
    emit(SideReady(side=side))
    return _Entrant(
        side,
        Entrant(
            name=_BELOW_IMAGE,
            where=_where(name, found),
            opened=partial(open_device, target=found.folder, way=Way.straight_to(found.loop)),
        ),
    )


def _where(name: str, found: MountedScratch) -> Where:
    return Where(
        target=f"image {name}",
        mount="",
        write_back=None if found.write_cache is None else found.write_cache == "write back",
        way=Way.straight_to(found.loop),
        depends={"mount.fs_type": found.form.fs_type, "mount.options": ",".join(found.options)},
    )


def _rest(folder: Path, *, whole: bool) -> None:
    """Bring to the disk what is still to be written: of a filesystem of ours all, of others' what is its journal's."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if whole:
            _write_all(descriptor)
        else:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int) -> None:
    """Bring all that a filesystem still has to write to its disk, and wait for it: syncfs(2). Raises OSError."""
    if ctypes.CDLL(None, use_errno=True).syncfs(descriptor):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _measure(wanted: CompareWork, entrants: list[_Entrant], emit: Emit, stop: Stop) -> None:
    lots = random.Random(wanted.seed)  # noqa: S311 - an order, no secret
    for number, asked in enumerate(wanted.jobs, 1):
        if stop.asked:
            return
        job = with_file(JOBS[asked.id], asked.file_bytes)
        able = [it.entrant for it in entrants if it.takes(job)]
        events = rounds.rounds(job, able, seconds=wanted.seconds, width=wanted.width, stop=stop, lots=lots)
        for event in events:
            emit(_event(number, job, event, wanted.seconds))


def _event(number: int, job: Job, event: rounds.Event, seconds: float) -> Event:
    match event:
        case rounds.SideStarted():
            return Started(at=number, job=job.id, side=event.side)
        case rounds.SideWindow():
            used = min(1.0, event.progress.seconds / seconds)
            return of_window(number, job, event.progress, used=used, side=event.side)
        case rounds.SideEnded():
            return JobDone(at=number, side=event.side, result=replace(event.result, histogram_us=()))


_BLOCK: Final = 4096
_LEAST_SHARE: Final = 0.5
"""Of the file that its longest piece has to be: else it answers another question."""
_LOOKS: Final = 16
"""Blocks that are held against the file."""
_GRACE_SECONDS: Final = 60.0


class FileExtent(Struct, frozen=True, kw_only=True):
    """Where a piece of the file begins in it and on the device, and how long it is, in bytes."""

    logical: int
    physical: int
    length: int


class DeviceSession(Struct, frozen=True):
    """fio on a piece of the device."""

    fio: fio.Fio
    work: Io
    path: str
    piece: FileExtent
    way: Way | None

    @property
    def engine(self) -> str:
        """The tool and its version."""
        return f"fio {self.fio.version}"

    def window(self, seconds: float) -> ProbeWindow:
        """One run of fio. Raises EngineError."""
        engines = self.fio.engines if self.work.depth > 1 else ()
        before = disks.counted(self.way)
        out, stderr, status = self.fio.run(
            device_argv(self.work, self.path, self.piece, seconds, engines), 2 * seconds + _GRACE_SECONDS
        )
        after = disks.counted(self.way)
        return fio.window_of(
            fio.judged(out, stderr, status, "reading the device"), self.work, disks.between(before, after)
        )


def device_argv(work: Io, path: str, piece: FileExtent, seconds: float, engines: Sequence[str]) -> tuple[str, ...]:
    """fio's arguments: those of a file of that length, moved to the piece, and nothing that writes or flushes."""
    if work.operation != "read" or not work.direct:
        raise EngineError("a device is only read, and past the page cache")
    inside = replace(work, file_bytes=piece.length)
    return (*fio.argv(inside, path, seconds, engines), f"--offset={piece.physical}", "--invalidate=0", "--readonly")


@contextlib.contextmanager
def open_device(job: Job, target: Path, way: Way | None) -> Iterator[DeviceSession]:
    """A session on the device under the folder. Raises EngineError."""
    work, tool = job.work, fio.find()
    if not isinstance(work, Io) or not fits_device(job):
        raise EngineError("only direct reads of written blocks can be asked of a device without a filesystem")
    if tool is None:
        raise EngineError("the device is read by fio, which is not installed")
    with scratch_file(target, work.file_bytes, "written") as file, contextlib.ExitStack() as stack:
        file.fill()
        descriptor = stack.enter_context(_device(target))
        with explained("asking how the scratch file lies on the device"):
            piece = longest_extent(pieces(file.descriptor), work)
        _same(file, descriptor, piece)
        yield DeviceSession(tool, work, f"/proc/{os.getpid()}/fd/{descriptor}", piece, way)


def device_obstacle(folder: Path) -> str:
    """Why the device below the folder cannot be read, '' where it can: it is opened for reading, and closed again."""
    try:
        with _device(folder):
            return "" if fio.find() else "the device is read by fio, which is not installed"
    except EngineError as error:
        return str(error)


def fits_device(job: Job) -> bool:
    """Whether the job can be done on a device without a filesystem, and without writing."""
    work = job.work
    return isinstance(work, Io) and work.operation == "read" and work.direct and work.state == "written"


def longest_extent(extents: Sequence[Extent], work: Io) -> FileExtent:
    """The longest piece of the file that lies in one on the device. Raises EngineError where it is too short."""
    best = run = FileExtent(logical=0, physical=0, length=0)
    for extent in extents:
        follows = extent.logical == run.logical + run.length and extent.physical == run.physical + run.length
        if not extent.plain:
            run = FileExtent(logical=0, physical=0, length=0)
        elif follows and run.length:
            run = replace(run, length=run.length + extent.length)
        else:
            run = FileExtent(logical=extent.logical, physical=extent.physical, length=extent.length)
        best = max(best, run, key=lambda extent: extent.length)
    step = work.block_bytes * work.streams
    length = min(best.length, work.file_bytes) // step * step
    if length < work.file_bytes * _LEAST_SHARE:
        raise EngineError(
            f"the scratch file lies in {len(extents)} extents on the device: the longest is not even half of it"
        )
    return replace(best, length=length)


@contextlib.contextmanager
def _device(folder: Path) -> Iterator[int]:
    """The block device that the folder's filesystem is on, open for reading past the page cache."""
    with explained(f"looking at {folder}"):
        number = folder.stat().st_dev
    name = _name(number)
    if name is None:
        raise EngineError(
            f"the filesystem of {folder} is on no single block device, or translates its addresses itself: "
            "nothing below it can be read for comparison"
        )
    with explained(f"opening {name} for reading (that needs root)"):
        descriptor = os.open(name, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISBLK(found.st_mode) or found.st_rdev != number:
            raise EngineError(f"{name} is not the device that the filesystem of {folder} is on")
        yield descriptor
    finally:
        os.close(descriptor)


def _name(number: int) -> str | None:
    """/dev/vda for the number of a device, as the kernel calls it."""
    try:
        lines = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/uevent").read_text().splitlines()
    except OSError:
        return None
    return next((f"/dev/{it.removeprefix('DEVNAME=')}" for it in lines if it.startswith("DEVNAME=")), None)


def _same(file: ScratchFile, device: int, piece: FileExtent) -> None:
    """Read blocks of the piece here and there. Raises EngineError where they differ: then it is not where it is said.

    No two blocks of a scratch file are alike.
    """
    count = piece.length // _BLOCK
    with explained("holding the device against the scratch file"), _reader(file) as descriptor:
        for at in sorted({count * look // _LOOKS for look in range(_LOOKS)} | {count - 1}):
            here = _block(descriptor, piece.logical + at * _BLOCK)
            if here != _block(device, piece.physical + at * _BLOCK):
                raise EngineError(
                    "the device does not hold the scratch file where the filesystem says: something between them "
                    "translates addresses, or encrypts"
                )


@contextlib.contextmanager
def _reader(file: ScratchFile) -> Iterator[int]:
    descriptor = os.open(file.path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _block(descriptor: int, offset: int) -> bytes:
    with mmap.mmap(-1, _BLOCK) as block:
        os.preadv(descriptor, [block], offset)
        return block[:]
