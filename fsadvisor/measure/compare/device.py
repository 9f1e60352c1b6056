"""Reads of the block device below a filesystem: of the very blocks that a scratch file of ours lies in. No writes.

Blocks that were never written, or trimmed, a drive answers without its flash, and so faster than any file can be read.
So a scratch file is written, its place on the device is asked of the filesystem (FIEMAP), the device is opened for
reading alone, and what stands there is held against the file before it is believed. fio reads the longest piece that
the file has, at the same block and queue depth, by --readonly, and without the BLKFLSBUF that it would begin with.

Where the filesystem translates its addresses itself (Btrfs, several devices) there is no such place.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.machine.inodes import pieces
from fsadvisor.measure.probe import disks, fio
from fsadvisor.measure.probe.engine import EngineError, explained
from fsadvisor.measure.probe.jobs import Io
from fsadvisor.measure.probe.scratch import scratch_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.machine.inodes import Extent
    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.engine import Window
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.scratch import ScratchFile

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

    def window(self, seconds: float) -> Window:
        """One run of fio. Raises EngineError."""
        engines = self.fio.engines if self.work.depth > 1 else ()
        before = disks.counted(self.way)
        out, said, status = self.fio.run(
            argv(self.work, self.path, self.piece, seconds, engines), 2 * seconds + _GRACE_SECONDS
        )
        after = disks.counted(self.way)
        return fio.window_of(
            fio.judged(out, said, status, "reading the device"), self.work, disks.between(before, after)
        )


def argv(work: Io, path: str, piece: FileExtent, seconds: float, engines: Sequence[str]) -> tuple[str, ...]:
    """fio's arguments: those of a file of that length, moved to the piece, and nothing that writes or flushes."""
    if work.operation != "read" or not work.direct:
        raise EngineError("a device is only read, and past the page cache")
    inside = replace(work, file_bytes=piece.length)
    return (*fio.argv(inside, path, seconds, engines), f"--offset={piece.physical}", "--invalidate=0", "--readonly")


@contextlib.contextmanager
def opened(job: Job, target: Path, way: Way | None) -> Iterator[DeviceSession]:
    """A session on the device under the folder. Raises EngineError."""
    work, tool = job.work, fio.find()
    if not isinstance(work, Io) or not readable(job):
        raise EngineError("only direct reads of written blocks can be asked of a device without a filesystem")
    if tool is None:
        raise EngineError("the device is read by fio, which is not installed")
    with scratch_file(target, work.file_bytes, "written") as file, contextlib.ExitStack() as stack:
        file.fill()
        descriptor = stack.enter_context(_device(target))
        with explained("asking how the scratch file lies on the device"):
            piece = longest(pieces(file.descriptor), work)
        _same(file, descriptor, piece)
        yield DeviceSession(tool, work, f"/proc/{os.getpid()}/fd/{descriptor}", piece, way)


def obstacle(folder: Path) -> str:
    """Why the device below the folder cannot be read, '' where it can: it is opened for reading, and closed again."""
    try:
        with _device(folder):
            return "" if fio.find() else "the device is read by fio, which is not installed"
    except EngineError as error:
        return str(error)


def readable(job: Job) -> bool:
    """Whether the job can be done on a device without a filesystem, and without writing."""
    work = job.work
    return isinstance(work, Io) and work.operation == "read" and work.direct and work.state == "written"


def longest(extents: Sequence[Extent], work: Io) -> FileExtent:
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
