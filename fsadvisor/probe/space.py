"""What Python does not have: syncfs(2), and fallocate(2), whose like of POSIX writes where nothing can be allocated."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

KEEP_SIZE: Final = 1
PUNCH_HOLE: Final = 2
"""With KEEP_SIZE. linux/falloc.h"""


def fallocate(descriptor: int, mode: int, offset: int, length: int) -> None:
    """Allocate or give back a part of a file, in bytes. Raises OSError."""
    while _call()(descriptor, mode, offset, length):
        number = ctypes.get_errno()
        if number != errno.EINTR:
            raise OSError(number, os.strerror(number))


def write_all(descriptor: int) -> None:
    """Bring all that a filesystem still has to write to its disk, and wait for it: syncfs(2). Raises OSError."""
    if ctypes.CDLL(None, use_errno=True).syncfs(descriptor):
        number = ctypes.get_errno()
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
