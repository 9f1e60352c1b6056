"""The ioctl FS_IOC_GETFLAGS."""

from __future__ import annotations

import fcntl
import platform
import struct

_OTHER_IOCTL_NUMBERS = ("ppc", "mips", "sparc", "alpha")


def flags_of(descriptor: int) -> int:
    """The inode flags of an open file or folder. Raises OSError."""
    return int(struct.unpack_from("=I", fcntl.ioctl(descriptor, _request(), bytes(8)))[0])


def _request() -> int:
    """_IOR('f', 1, long): the kernel fills an int, the size in the number is a long's."""
    size = struct.calcsize("l") << 16
    read_bit = 1 << 30 if platform.machine().startswith(_OTHER_IOCTL_NUMBERS) else 2 << 30
    return read_bit | size | ord("f") << 8 | 1
