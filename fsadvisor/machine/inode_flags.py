"""What ioctls tell of an inode: its flags (FS_IOC_GETFLAGS) and its generation (FS_IOC_GETVERSION)."""

from __future__ import annotations

import fcntl
import platform
import struct

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
    read_bit = 1 << 30 if platform.machine().startswith(_OTHER_IOCTL_NUMBERS) else 2 << 30
    return read_bit | size | ord(letter) << 8 | 1
