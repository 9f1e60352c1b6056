"""Files of a container, by the root that it sees: /proc/PID/root/PATH.

A container's files are a stranger's: a link in them may be meant to lead us to the host's. openat2(2) follows every
link below that root, as the container itself would (RESOLVE_IN_ROOT); before Linux 5.6 nothing is opened.

https://man7.org/linux/man-pages/man2/openat2.2.html
"""

from __future__ import annotations

import errno
import os
import re
import struct
from typing import Final

_PATH: Final = re.compile(rb"(/proc/[1-9]\d{0,9}/root)(/.*)", re.DOTALL)
_OPENAT2: Final = 437
"""On every architecture of Linux but alpha."""
_IN_ROOT, _NO_MAGIC_LINKS = 0x10, 0x02
_TURNS: Final = 3
"""The kernel asks to try again where something above was renamed meanwhile."""


def is_inside(path: bytes) -> bool:
    """Whether a path is one of a container's."""
    return _PATH.fullmatch(path) is not None


def located(path: bytes) -> int:
    """A descriptor that names the file (O_PATH), be it anywhere or a container's. Raises OSError."""
    found = _PATH.fullmatch(path)
    if found is None:
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    root = os.open(found[1], os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return _below(root, found[2])
    finally:
        os.close(root)


def _below(root: int, path: bytes) -> int:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    how = struct.pack("@QQQ", os.O_PATH | os.O_CLOEXEC, 0, _IN_ROOT | _NO_MAGIC_LINKS)
    number = errno.EAGAIN
    for _ in range(_TURNS):
        words = (ctypes.c_int(root), ctypes.c_char_p(path), ctypes.c_char_p(how), ctypes.c_size_t(len(how)))
        descriptor = int(libc.syscall(ctypes.c_long(_OPENAT2), *words))
        if descriptor >= 0:
            return descriptor
        number = ctypes.get_errno()
        if number != errno.EAGAIN:
            break
    raise OSError(number, os.strerror(number))
