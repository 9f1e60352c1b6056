"""Opens files and directories for reading so that nothing happens by it: no access time changes, no device acts."""

from __future__ import annotations

import os
import stat

from fsadvisor.machine import inside


def opened(path: bytes, flags: int = 0) -> int:
    """A descriptor for reading. Raises OSError.

    The kernel lets the owner and root keep the access time; of what is somebody else's it changes as the mount says.
    """
    flags |= os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        return os.open(path, flags | os.O_NOATIME)
    except PermissionError:
        return os.open(path, flags)


def regular(path: bytes) -> int | None:
    """A descriptor of a regular file, None where the path leads to anything else. Raises OSError.

    It is looked at before it is opened, and then opened without its name: what another user puts into its place
    meanwhile, or a link to it, is no way to have root open a watchdog, which then resets the machine. A file of no size
    is empty; those of /proc and tracefs, to which a link may lead, have none, and some of them are used up by reading.
    """
    known = inside.located(path)
    try:
        status = os.fstat(known)
        if not stat.S_ISREG(status.st_mode):
            return None
        return opened(b"/dev/null" if status.st_size == 0 else b"/proc/self/fd/%d" % known)
    finally:
        os.close(known)


def names_in(path: bytes) -> list[str]:
    """The names in a directory, as os.listdir gives them. Raises OSError."""
    directory = _in_container(path) if inside.is_inside(path) else opened(path, os.O_DIRECTORY)
    try:
        return os.listdir(directory)  # noqa: PTH208 - an open directory
    finally:
        os.close(directory)


def _in_container(path: bytes) -> int:
    known = inside.located(path)
    try:
        return opened(b"/proc/self/fd/%d" % known, os.O_DIRECTORY)
    finally:
        os.close(known)


def changed(path: bytes) -> int:
    """When a file was changed, in seconds since 1970. Raises OSError."""
    known = inside.located(path)
    try:
        return int(os.fstat(known).st_mtime)
    finally:
        os.close(known)
