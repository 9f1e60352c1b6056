"""What a probe puts into its scratch tree, and how that alone is taken away again.

Names are those that `scratch`, `own.names` and `own.worker` give: files, and one level of directories with files.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import Final

DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = re.compile(r"file-[0-9]{1,9}|log-[0-9]{1,4}|f[0-9]{6,9}|w[0-9]{1,4}-[0-9]{6,9}")
_INNER: Final = re.compile(r"d[0-9]{1,4}")


class ForeignError(Exception):
    """What is there that a probe has not made."""


def remove(above: int, name: str, tree: int) -> None:
    """Take away an open tree and what is in it: all of it, or nothing. Raises ForeignError, OSError.

    All is looked at before the first file goes, and each file once more before it goes. Nobody else may write there.
    Somebody who may rename the tree itself can at worst have an empty directory removed in its place.
    """
    if not _is_at(above, name, tree) or _mount_of(tree) != _mount_of(above):
        raise ForeignError("it is not there any more, or something else is in its place")
    _visit(tree, _mount_of(tree), empties=False)
    _visit(tree, _mount_of(tree), empties=True)
    os.rmdir(name, dir_fd=above)


def _foreign(name: str) -> ForeignError:
    return ForeignError(f"{name} in it was not made by a probe")


def _is_at(above: int, name: str, tree: int) -> bool:
    try:
        return os.path.samestat(os.stat(name, dir_fd=above, follow_symlinks=False), os.fstat(tree))
    except FileNotFoundError:
        return False


def _visit(directory: int, mount: str, *, empties: bool, inner: bool = False) -> None:
    device = os.fstat(directory).st_dev
    for name in _names(directory):
        seen = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if seen.st_uid != os.geteuid() or seen.st_dev != device:
            raise _foreign(name)
        if stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1 and _FILE.fullmatch(name):
            if empties:
                os.unlink(name, dir_fd=directory)  # EBUSY where another file is mounted on it
        elif stat.S_ISDIR(seen.st_mode) and not inner and _INNER.fullmatch(name):
            _visit_inner(directory, name, mount, empties=empties)
        else:
            raise _foreign(name)


def _visit_inner(directory: int, name: str, mount: str, *, empties: bool) -> None:
    descriptor = os.open(name, DIRECTORY, dir_fd=directory)
    try:
        if _mount_of(descriptor) != mount or os.fstat(descriptor).st_uid != os.geteuid():
            raise _foreign(name)
        _visit(descriptor, mount, empties=empties, inner=True)
    finally:
        os.close(descriptor)
    if empties:
        os.rmdir(name, dir_fd=directory)


def _names(directory: int) -> list[str]:
    anew = os.open(".", DIRECTORY, dir_fd=directory)  # Btrfs lists what was there when a directory was opened
    try:
        return os.listdir(anew)  # noqa: PTH208 - an open directory
    finally:
        os.close(anew)


def _mount_of(directory: int) -> str:
    """The id of the mount that an open directory was reached by; binds of one filesystem differ. Raises OSError."""
    for line in Path(f"/proc/self/fdinfo/{directory}").read_text().splitlines():
        if line.startswith("mnt_id:"):
            return line
    raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
