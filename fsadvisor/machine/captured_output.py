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


def text_of(path: Path) -> str:
    """What is in the file, bytes that are no UTF-8 as surrogates. Raises MachineError.

    Nobody is waited for but by the caller's own wish.
    """
    own = str(path).startswith(_OWN)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if own else os.O_NONBLOCK | os.O_NOCTTY))
        with os.fdopen(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode) and not (own and stat.S_ISFIFO(mode)):
                raise MachineError(str(path), "not a regular file", _CHOICE)
            content = file.read(OUTPUT_CAP_BYTES + 1)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "can't be read"
        raise MachineError(str(path), said, _CHOICE) from None
    if len(content) > OUTPUT_CAP_BYTES:
        raise MachineError(str(path), "longer than any tool's output", "name a file with one machine's outputs")
    return decoded(content)
