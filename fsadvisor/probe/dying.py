"""Processes that the kernel kills with the one that started them, be it by SIGKILL (PR_SET_PDEATHSIG, prctl(2)).

For the kernel the thread that started one is its parent: that thread has to live as long.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from signal import Signals

_PR_SET_PDEATHSIG: Final = 1
_LAUNCHER: Final = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)\n"
    "if os.getppid() == int(sys.argv[1]): os.execv(sys.argv[2], sys.argv[2:])"
)


def launcher() -> tuple[str, ...]:
    """What stands before the path and arguments of a tool of which nothing may outlive this process."""
    return (sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()))


def die_with(parent: int, number: Signals) -> bool:
    """Have the kernel send us the signal when the process that started us ends; False where it has already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    return os.getppid() == parent
