"""What lies in a directory below the filesystem that is mounted over it, where neither du nor ls sees it.

open_tree(2) makes a copy of the mount above, which is attached nowhere and ends with its descriptor: nothing of the
host's mounts changes. It takes root, and Linux 5.2. No link is followed, and access times stay. Subvolumes of a Btrfs
in it are left out: snapshots share what they hold, and others may be mounted elsewhere.

https://man7.org/linux/man-pages/man2/open_tree.2.html
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.machine import sources
from fsadvisor.machine.port import Reply
from fsadvisor.machine.runner import encoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.machine.port import Answer

_OPEN_TREE: Final = 428
"""On every architecture of Linux but alpha."""
_HERE, _CLONE = -100, 1
_STEP: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NOATIME | os.O_CLOEXEC
_MOST_NAMES: Final = 100_000
_LONGEST_S: Final = 3
_DEEPEST: Final = 60


def below_mount(mount_point: str, above: str) -> Answer:
    """The room that files take there, as JSON; `above` is where the filesystem is mounted that holds the directory."""
    source = sources.hidden(mount_point)
    try:
        tree = _copy(encoded(above))
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else errno.ENOENT
        if number in (errno.EPERM, errno.EACCES):
            return Unknown(Cause.DENIED, "run as root", source)
        return unreadable(os.strerror(number or errno.EIO), source)
    walk = _Walk()
    try:
        with contextlib.ExitStack() as opened:
            at = opened.enter_context(_closing(tree))
            for name in os.path.relpath(encoded(mount_point), encoded(above)).split(b"/"):
                at = opened.enter_context(_closing(os.open(name, _STEP, dir_fd=at)))
            walk.look_into(at, 0)
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


class _Walk:
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
