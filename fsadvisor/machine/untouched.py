"""Opens files and directories for reading so that their access time stays, where the kernel lets us: O_NOATIME."""

from __future__ import annotations

import os


def opened(path: bytes, flags: int = 0) -> int:
    """A descriptor for reading. Raises OSError.

    The kernel lets the owner and root keep the access time; of what is somebody else's it changes as the mount says.
    """
    flags |= os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        return os.open(path, flags | os.O_NOATIME)
    except PermissionError:
        return os.open(path, flags)


def names_in(path: bytes) -> list[str]:
    """The names in a directory, as os.listdir gives them. Raises OSError."""
    directory = opened(path, os.O_DIRECTORY)
    try:
        return os.listdir(directory)  # noqa: PTH208 - an open directory
    finally:
        os.close(directory)
