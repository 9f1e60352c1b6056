"""A file that somebody keeps a tool's output in."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from fsadvisor.machine.error import MachineError
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, decoded

if TYPE_CHECKING:
    from pathlib import Path

_CHOICE = "name a file with a tool's output"
_OWN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""What the caller has opened for us: it may be a pipe, and may be waited for."""


def text_of(path: Path, most: int = OUTPUT_CAP_BYTES, choice: str = _CHOICE) -> str:
    """What is in the file of so many bytes at most, bytes that are no UTF-8 as surrogates. Raises MachineError.

    Nobody is waited for but by the caller's own wish.
    """
    own = str(path).startswith(_OWN)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if own else os.O_NONBLOCK | os.O_NOCTTY))
        with os.fdopen(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode) and not (own and stat.S_ISFIFO(mode)):
                raise MachineError(str(path), "not a regular file", choice)
            content = file.read(most + 1)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "can't be read"
        raise MachineError(str(path), said, choice) from None
    if len(content) > most:
        raise MachineError(str(path), f"more than {most >> 20} MiB", choice)
    return decoded(content)
