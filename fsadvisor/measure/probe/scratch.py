"""The file that a probe reads and writes: without a name, so that it is gone with the last process that has it open.

O_TMPFILE makes it so on ext4, XFS, Btrfs, F2FS, tmpfs and, on newer kernels, overlay and FUSE. Elsewhere it gets a name
in the scratch tree for a moment, and whoever is killed in that moment leaves an empty folder to the next start.

A file whose syncs are timed keeps a name in that tree where a file without one is synced otherwise. Btrfs logs nothing
of it, since nobody could find it after a crash (i_nlink == 0 in btrfs_log_inode_parent, fs/btrfs/tree-log.c; seen on
6.1 as an fsync without a flush), and F2FS writes a whole checkpoint (i_nlink != 1 in need_do_checkpoint,
fs/f2fs/file.c). ext4 and XFS commit it as any other file.

The tree is the one directory with a name that a probe makes, `.fsadvisor-scratch-<random>` in the directory that it
measures. Before it is made, and again once it is, a record of it is kept (`scratch_record`).

fallocate(2) is called here, too: Python's posix_fallocate writes where nothing can be allocated.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
import re
import secrets
import struct
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.measure.probe import EngineError, explained, scratch_record
from fsadvisor.measure.probe.scratch_record import DIRECTORY, PREFIX, lock_tree, removed
from fsadvisor.readers import mount_tables
from fsadvisor.survey.filesystem_types.registry import IN_MEMORY, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fsadvisor.measure.probe.jobs import Io, State
    from fsadvisor.measure.probe.scratch_record import Record

STEP_BYTES: Final = 1 << 20
_STAMPED_BYTES: Final = 4096
_SYNCED_BYTES: Final = 64 << 20
_NO_UNNAMED_FILES: Final = {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT}
_RETRIED: Final = errno.EINVAL
_NUMBERS: Final = count()
_MOUNT_ID: Final = re.compile(r"(?m)^mnt_id:\s*([0-9]+)$")


class ScratchFile(Struct, frozen=True, kw_only=True):
    """An open file without a name. `state` is what its blocks are when a window starts."""

    descriptor: int
    folder: Path
    size_bytes: int
    state: State

    @property
    def path(self) -> str:
        """A path by which another process of the same user opens it, for as long as this process has it open."""
        return f"/proc/{os.getpid()}/fd/{self.descriptor}"

    def fill(self) -> None:
        """Bring the blocks into their state, on the disk: what was there goes. Raises EngineError."""
        with explained(f"preparing the scratch file in {self.folder}"):
            os.ftruncate(self.descriptor, 0)
            match self.state:
                case "written":
                    _write(self.descriptor, self.size_bytes)
                case "preallocated":
                    fallocate(self.descriptor, 0, 0, self.size_bytes)
                case "sparse":
                    os.ftruncate(self.descriptor, self.size_bytes)
            os.fsync(self.descriptor)

    def before_first(self, work: Io) -> None:
        """Lay it out for a job. Raises EngineError."""
        if work.pattern != "append":
            self.fill()

    def before_window(self, work: Io) -> None:
        """Put back what a window of the job changed for good. Raises EngineError.

        That is blocks that were holes, or preallocated. A file that is appended to goes on growing, as a log does: a
        window may add half its size, and it is emptied, on the disk, only where that would be more than all of it.
        """
        if work.pattern == "append":
            if os.fstat(self.descriptor).st_size + work.file_bytes // 2 > self.size_bytes:
                self.empty()
        elif work.operation == "write" and work.state != "written":
            self.fill()

    def empty(self) -> None:
        """Take all blocks away, on the disk. Raises EngineError."""
        with explained(f"emptying the scratch file in {self.folder}"):
            os.ftruncate(self.descriptor, 0)
            os.fsync(self.descriptor)


@contextlib.contextmanager
def scratch_file(folder: Path, size_bytes: int, state: State, *, synced: bool = False) -> Iterator[ScratchFile]:
    """A new, empty file on the folder's filesystem; nothing of it stays. Raises EngineError.

    `synced` says that its syncs are timed, and have to do what they do for anybody's file.
    """
    with contextlib.ExitStack() as stack:
        with explained(f"making a scratch file in {folder}"):
            descriptor = _unnamed(folder)
        if descriptor is not None and synced and not _synced_alike(descriptor):
            os.close(descriptor)
            descriptor = None
        if descriptor is None:
            descriptor = _named(stack.enter_context(tree(folder))) if synced else _without_its_name(folder)
        stack.callback(_close, descriptor)
        yield ScratchFile(descriptor=descriptor, folder=folder, size_bytes=size_bytes, state=state)


def _close(descriptor: int) -> None:
    with contextlib.suppress(OSError):  # EIO at the end changes nothing: there is nothing to lose
        os.close(descriptor)


def _synced_alike(descriptor: int) -> bool:
    """Whether a sync of a file without a name does there what it does for any file; False where that is not known."""
    answer = mount_tables.parse_mountinfo(Path("/proc/self/mountinfo").read_text(errors="surrogateescape"))
    mounts = () if isinstance(answer, Unknown) else answer.mounts
    number = _MOUNT_ID.search(Path(f"/proc/self/fdinfo/{descriptor}").read_text())
    own = next((it for it in mounts if number is not None and it.mount_id == int(number[1])), None)
    return own is not None and (own.fs_type in IN_MEMORY or type_of(own.fs_type).syncs_unnamed_alike)


def _unnamed(folder: Path) -> int | None:
    """An O_TMPFILE, or None where the filesystem has none."""
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in _NO_UNNAMED_FILES and folder.is_dir():
            return None
        raise


def _named(path: Path, *, only_for_a_moment: bool = False) -> int:
    """A new file in the tree."""
    inside = descriptor_of(path)
    with explained(f"making a scratch file in {path}"):
        name = f"file-{next(_NUMBERS)}"
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o600, dir_fd=inside)
        if only_for_a_moment:
            try:
                os.unlink(name, dir_fd=inside)
            except BaseException:
                os.close(descriptor)
                raise
        return descriptor


def _without_its_name(folder: Path) -> int:
    with tree(folder) as place:
        return _named(place, only_for_a_moment=True)


def _write(descriptor: int, size_bytes: int) -> None:
    """Write every block once, past the page cache where that can be; no two blocks alike, none that compresses."""
    with mmap.mmap(-1, STEP_BYTES) as step:  # memory of its own begins at a page, as direct I/O wants it
        step.write(os.urandom(STEP_BYTES))
        if _direct(descriptor, on=True):
            try:
                offset = _fill(descriptor, step, 0, size_bytes - size_bytes % STEP_BYTES)
            except OSError as error:
                if error.errno != _RETRIED:
                    raise
                offset = 0
            _direct(descriptor, on=False)
        else:
            offset = 0
        _fill(descriptor, step, offset, size_bytes)


def _fill(descriptor: int, step: mmap.mmap, start: int, end: int) -> int:
    """Write from start to end, and say where it ended; what the page cache took is written back and dropped early."""
    offset = start
    while offset < end:
        for block in range(0, STEP_BYTES, _STAMPED_BYTES):
            struct.pack_into("=Q", step, block, offset + block)
        with memoryview(step) as view, view[: min(STEP_BYTES, end - offset)] as piece:
            offset += os.pwrite(descriptor, piece, offset)
        if offset // _SYNCED_BYTES != start // _SYNCED_BYTES:
            os.fdatasync(descriptor)
            os.posix_fadvise(descriptor, start, offset - start, os.POSIX_FADV_DONTNEED)
            start = offset
    return offset


def _direct(descriptor: int, *, on: bool) -> bool:
    """Switch direct I/O on or off; False where the filesystem has none."""
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL) & ~os.O_DIRECT
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | (os.O_DIRECT if on else 0))
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return False
    return True


def fallocate(descriptor: int, mode: int, offset: int, length: int) -> None:
    """Allocate or give back a part of a file, in bytes. Raises OSError."""
    while _call()(descriptor, mode, offset, length):
        number = ctypes.get_errno()
        if number != errno.EINTR:
            raise OSError(number, os.strerror(number))


@cache
def _call() -> Callable[[int, int, int, int], int]:
    """glibc's name for 64-bit offsets on any machine, else the plain one, which has them in musl."""
    library = ctypes.CDLL(None, use_errno=True)
    function = getattr(library, "fallocate64", None) or library.fallocate
    function.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    function.restype = ctypes.c_int

    def call(descriptor: int, mode: int, offset: int, length: int) -> int:
        return int(function(descriptor, mode, offset, length))

    return call


_HELD: Final[dict[Path, int]] = {}
"""The trees that this process has at the moment, with their descriptors."""


@contextlib.contextmanager
def tree(folder: Path) -> Iterator[Path]:
    """Make a tree, for as long as the block; then it is taken away. Raises EngineError.

    Within the block it may be asked for again: that is the same tree.
    """
    real = Path(os.path.realpath(folder))
    held = next((place for place in _HELD if place.parent == real), None)
    if held is not None:
        yield held
        return
    place = real / f"{PREFIX}{secrets.token_hex(8)}"
    with contextlib.ExitStack() as stack:
        above = _parent(place, stack)
        record = scratch_record.new(place.name, above)
        if record is not None:
            stack.enter_context(record)
        descriptor = _made(place, above, record)
        stack.callback(os.close, descriptor)
        _HELD[place] = descriptor
        try:
            yield place
        except EngineError as error:
            why = removed(place, above, descriptor, record)
            if why:
                raise EngineError(f"{error}; {why}") from error
            raise
        except BaseException:
            removed(place, above, descriptor, record)
            raise
        else:
            why = removed(place, above, descriptor, record)
            if why:
                raise EngineError(why)
        finally:
            del _HELD[place]


def descriptor_of(place: Path) -> int:
    """The descriptor by which to write into a tree of this process: its name may be moved to something else."""
    return _HELD[place]


def _parent(place: Path, stack: contextlib.ExitStack) -> int:
    with explained(f"making the scratch directory {place}"):
        above = os.open(place.parent, DIRECTORY)
    stack.callback(os.close, above)
    return above


def _made(path: Path, above: int, record: Record | None) -> int:
    """Make the tree, open and lock it; where that fails, or somebody stops us meanwhile, nothing of ours stays."""
    descriptor = -1
    with explained(f"making the scratch directory {path}"):
        try:
            os.mkdir(path.name, 0o700, dir_fd=above)
            descriptor = os.open(path.name, DIRECTORY, dir_fd=above)
            if why := _not_ours(descriptor):
                raise EngineError(f"{path} is not used: {why}")
            lock_tree(descriptor)
            if record is not None:
                with contextlib.suppress(OSError):  # no room there: what a kill leaves will be told, and stay
                    record.add(descriptor)
        except BaseException as error:  # a signal is heard as mkdir returns, too
            if descriptor >= 0:
                os.close(descriptor)
            if not isinstance(error, FileExistsError):
                _unmade(path, above)
            if record is not None:
                record.drop()
            raise
    return descriptor


def _unmade(place: Path, above: int) -> None:
    with contextlib.suppress(OSError):
        if os.stat(place.name, dir_fd=above, follow_symlinks=False).st_uid == os.geteuid():
            os.rmdir(place.name, dir_fd=above)


def _not_ours(descriptor: int) -> str:
    """Why an open directory is not the empty one that we have just made, ''."""
    if os.fstat(descriptor).st_uid != os.geteuid():
        return "it belongs to another user, though we have just made it; run as the owner of the filesystem's files"
    return "it is not empty, though we have just made it" if os.listdir(descriptor) else ""
