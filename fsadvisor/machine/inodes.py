"""How the files below a directory lie on disk (ioctl FS_IOC_FIEMAP), and flags and generation of an inode.

Bounded: so many names, so many files, so many extents of each. FIEMAP_FLAG_SYNC is not given, since it would write.

https://docs.kernel.org/filesystems/fiemap.html

What lies in a directory below the filesystem that is mounted over it, where neither du nor ls sees it.

open_tree(2) makes a copy of the mount above, which is attached nowhere and ends with its descriptor: nothing of the
host's mounts changes. It takes root, and Linux 5.2. No link is followed, and access times stay. Subvolumes of a Btrfs
in it are left out: snapshots share what they hold, and others may be mounted elsewhere.

https://man7.org/linux/man-pages/man2/open_tree.2.html
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import heapq
import json
import os
import stat
import struct
import time
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import port, untouched
from fsadvisor.machine.port import Answer, Reply
from fsadvisor.machine.runner import encoded

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_NAMES = 200_000
MOST_SIZES = 20_000
MOST_FILES = 8
MOST_EXTENTS = 8192
_EXTENTS_A_CALL = 512

_FIEMAP = struct.Struct("=QQIIII")
_EXTENT = struct.Struct("=QQQ16xI12x")
_LAST, _DELAYED, _ENCODED, _INLINE, _UNWRITTEN, _SHARED = 0x1, 0x4, 0x8, 0x200, 0x800, 0x2000
_MERGED = 0x1000
_WHOLE_FILE = (1 << 64) - 1
_REQUEST = 3 << 30 | _FIEMAP.size << 16 | ord("f") << 8 | 11
"""_IOWR('f', 11, struct fiemap): reading and writing together are the same two bits on every CPU."""


def files_below(folder: str) -> Answer:
    """The question `extents` of port.Machine."""
    source = port.extents_source(folder)
    try:
        walk = _Walk(encoded(folder))
        for names in walk.folders():
            walk.look_into(names)
    except ValueError:
        return Unknown(Cause.NOT_EXPOSED, "", source)
    if walk.refused_at_top:
        cause = Cause.DENIED if walk.refused_at_top in (errno.EACCES, errno.EPERM) else Cause.NOT_EXPOSED
        return Unknown(cause, "run as root" if cause is Cause.DENIED else "", source)
    files = [found for _, path in sorted(walk.largest, reverse=True) for found in _file(path)]
    answer = {"whole": walk.whole, "largest_folder": walk.largest_folder, "files": files}
    return Reply(json.dumps(answer), source)


class _Walk:
    """Goes through folders of one filesystem, no link followed, and keeps the largest files."""

    def __init__(self, top: bytes) -> None:
        self.whole = True
        self.largest_folder = 0
        self.largest: list[tuple[int, bytes]] = []
        self.refused_at_top = 0
        self._waiting = [top]
        self._device: int | None = None
        self._names = self._sizes = 0

    def folders(self) -> Iterator[bytes]:
        """Each folder once, breadth first."""
        position = 0
        while position < len(self._waiting) and self._names < MOST_NAMES:
            yield self._waiting[position]
            position += 1
        self.whole = self.whole and position == len(self._waiting)

    def look_into(self, folder: bytes) -> None:
        """Count its names, and note the folders and large files in it."""
        count = 0
        try:
            status = os.lstat(folder)
            if self._device is None:
                self._device = status.st_dev
            if status.st_dev != self._device or not stat.S_ISDIR(status.st_mode):
                return
            directory = untouched.opened(folder, os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                with os.scandir(directory) as entries:
                    for count, entry in enumerate(entries, start=1):
                        self._note(entry, folder)
                        if self._names + count >= MOST_NAMES:
                            self.whole = False
                            break
            finally:
                os.close(directory)
        except OSError as error:
            self.whole = False
            if folder == self._waiting[0]:
                self.refused_at_top = error.errno or errno.EIO
        self._names += count
        self.largest_folder = max(self.largest_folder, count)

    def _note(self, entry: os.DirEntry[str], folder: bytes) -> None:
        path = os.path.join(folder, os.fsencode(entry.name))  # noqa: PTH118 - bytes
        if entry.is_dir(follow_symlinks=False):
            self._waiting.append(path)
        elif entry.is_file(follow_symlinks=False):
            if self._sizes >= MOST_SIZES:
                self.whole = False
                return
            self._sizes += 1
            with contextlib.suppress(FileNotFoundError):
                heapq.heappush(self.largest, (entry.stat(follow_symlinks=False).st_size, path))
            if len(self.largest) > MOST_FILES:
                heapq.heappop(self.largest)


def _file(path: bytes) -> Iterator[dict[str, Any]]:
    """What one file's extents are like; nothing where it is gone or no regular file any more."""
    with contextlib.suppress(OSError):
        known = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            status = os.fstat(known)
            if not stat.S_ISREG(status.st_mode):
                return
            descriptor = os.open(f"/proc/self/fd/{known}", os.O_RDONLY | os.O_CLOEXEC)
        finally:
            os.close(known)
        try:
            yield {"bytes": status.st_size, **_extents(descriptor)}
        finally:
            os.close(descriptor)


def _extents(descriptor: int) -> dict[str, int | bool]:
    """Counts over the first extents, those that lie on disk as they do in the file being one, as filefrag counts.

    `encoded` are compressed or inside the metadata, `unwritten` were allocated ahead, `shared` by snapshots.
    """
    counts = {"extents": 0, "mapped_bytes": 0, "encoded": 0, "unwritten": 0, "shared": 0}
    looked_at = start = 0
    distance: int | None = None
    whole = False
    while looked_at < MOST_EXTENTS and not whole:
        extents = _next_extents(descriptor, start)
        for logical, physical, length, flags in extents:
            start, looked_at, whole = logical + length, looked_at + 1, bool(flags & _LAST)
            if not flags & _DELAYED:
                counts["extents"] += physical - logical != distance
                counts["mapped_bytes"] += length
                counts["encoded"] += bool(flags & (_ENCODED | _INLINE))
                counts["unwritten"] += bool(flags & _UNWRITTEN)
                counts["shared"] += bool(flags & _SHARED)
                distance = physical - logical
        whole = whole or not extents
    return counts | {"whole": whole}


def extent_count(descriptor: int) -> int:
    """How many extents the filesystem keeps for an open file, allocated but unwritten ones included. Raises OSError."""
    buffer = bytearray(_FIEMAP.size)
    _FIEMAP.pack_into(buffer, 0, 0, _WHOLE_FILE, 0, 0, 0, 0)
    fcntl.ioctl(descriptor, _REQUEST, buffer)
    return int(_FIEMAP.unpack_from(buffer)[3])


class Extent(Struct, frozen=True, kw_only=True):
    """A piece of a file in one piece of the device, in bytes."""

    logical: int
    physical: int
    """Of the filesystem's device; of Btrfs, an address of its own that no device has."""
    length: int
    plain: bool
    """Written, and its blocks are the file's alone as they are: not encoded, inside metadata, shared or delayed."""


def pieces(descriptor: int) -> tuple[Extent, ...]:
    """How an open file lies on the device; at most MOST_EXTENTS pieces of it. Raises OSError."""
    found: list[Extent] = []
    start, whole = 0, False
    while len(found) < MOST_EXTENTS and not whole:
        extents = _next_extents(descriptor, start)
        for logical, physical, length, flags in extents:
            start, whole = logical + length, bool(flags & _LAST)
            found.append(
                Extent(logical=logical, physical=physical, length=length, plain=not flags & ~(_LAST | _MERGED))
            )
        whole = whole or not extents
    return tuple(found)


def largest_files(folder: str) -> list[str]:
    """Paths of the largest files below a folder, the largest first; bounded, no link followed, one filesystem."""
    walk = _Walk(encoded(folder))
    for names in walk.folders():
        walk.look_into(names)
    return [os.fsdecode(path) for size, path in sorted(walk.largest, reverse=True) if size]


def _next_extents(descriptor: int, start: int) -> list[tuple[int, int, int, int]]:
    buffer = bytearray(_FIEMAP.size + _EXTENTS_A_CALL * _EXTENT.size)
    _FIEMAP.pack_into(buffer, 0, start, _WHOLE_FILE - start, 0, 0, _EXTENTS_A_CALL, 0)
    fcntl.ioctl(descriptor, _REQUEST, buffer)
    mapped = _FIEMAP.unpack_from(buffer)[3]
    return [_EXTENT.unpack_from(buffer, _FIEMAP.size + at * _EXTENT.size) for at in range(mapped)]


_OTHER_IOCTL_NUMBERS = ("ppc", "mips", "sparc", "alpha")


def flags_of(descriptor: int) -> int:
    """The inode flags of an open file or folder. Raises OSError."""
    return _asked(descriptor, "f")


def generation_of(descriptor: int) -> int | None:
    """What tells an inode from those that had its number before; None where the filesystem keeps none."""
    try:
        return _asked(descriptor, "v")
    except OSError:
        return None


def _asked(descriptor: int, letter: str) -> int:
    return int(struct.unpack_from("=I", fcntl.ioctl(descriptor, _request(letter), bytes(8)))[0])


def _request(letter: str) -> int:
    """_IOR(letter, 1, long): the kernel fills an int, the size in the number is a long's."""
    size = struct.calcsize("l") << 16
    read_bit = 1 << 30 if os.uname().machine.startswith(_OTHER_IOCTL_NUMBERS) else 2 << 30
    return read_bit | size | ord(letter) << 8 | 1


_OPEN_TREE: Final = 428
"""On every architecture of Linux but alpha."""
_HERE, _CLONE = -100, 1
_STEP: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NOATIME | os.O_CLOEXEC
_MOST_NAMES: Final = 100_000
_LONGEST_S: Final = 3
_DEEPEST: Final = 60


def below_mount(mount_point: str, above: str) -> Answer:
    """The room that files take there, as JSON; `above` is where the filesystem is mounted that holds the directory."""
    source = port.hidden_source(mount_point)
    try:
        tree = _copy(encoded(above))
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else errno.ENOENT
        if number in (errno.EPERM, errno.EACCES):
            return Unknown(Cause.DENIED, "run as root", source)
        return unreadable(os.strerror(number or errno.EIO), source)
    walk = _HiddenWalk()
    try:
        with contextlib.ExitStack() as opened:
            folder = opened.enter_context(_closing(tree))
            for name in os.path.relpath(encoded(mount_point), encoded(above)).split(b"/"):
                folder = opened.enter_context(_closing(os.open(name, _STEP, dir_fd=folder)))
            walk.look_into(folder, 0)
    except (OSError, ValueError) as error:
        return unreadable(getattr(error, "strerror", None) or "can't be read", source)
    return Reply(json.dumps({"bytes": walk.allocated, "files": walk.files, "whole": walk.whole}), source)


def _copy(path: bytes) -> int:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    words = (ctypes.c_int(_HERE), ctypes.c_char_p(path), ctypes.c_uint(_CLONE | os.O_CLOEXEC))
    descriptor = int(libc.syscall(ctypes.c_long(_OPEN_TREE), *words))
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return descriptor


@contextlib.contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class _HiddenWalk:
    """Counts what files take, as du does; `whole` says that nothing was left out."""

    def __init__(self) -> None:
        self.allocated = self.files = 0
        self.whole = True
        self._end = time.monotonic() + _LONGEST_S
        self._linked: set[int] = set()
        self._device: int | None = None

    def look_into(self, directory: int, depth: int) -> None:
        """A directory, and those below it."""
        self._device = self._device or os.fstat(directory).st_dev
        with os.scandir(directory) as entries:
            for entry in entries:
                if self.files >= _MOST_NAMES or time.monotonic() > self._end or depth > _DEEPEST:
                    self.whole = False
                    return
                with contextlib.suppress(FileNotFoundError):
                    self._count(entry.name, directory, depth)

    def _count(self, name: str, directory: int, depth: int) -> None:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        self.files += 1
        if status.st_dev != self._device:
            self.whole = False
            return
        if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
            if status.st_ino in self._linked:
                return
            self._linked.add(status.st_ino)
        self.allocated += status.st_blocks * 512
        if stat.S_ISDIR(status.st_mode):
            with _closing(os.open(name, _STEP, dir_fd=directory)) as inner:
                self.look_into(inner, depth + 1)
