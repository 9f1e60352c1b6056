"""A file that a person asked for: made where there is none, never written over."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from fsadvisor.machine.error import MachineError

if TYPE_CHECKING:
    from pathlib import Path


def write_new(path: Path, content: bytes) -> None:
    """Write it, for the user alone to read. Raises MachineError: where there is something already, and else."""
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
    except FileExistsError:
        raise MachineError(str(path), "is there already, and is left as it is", "name another") from None
    except (OSError, ValueError) as error:
        raise MachineError(str(path), _why(error), "name another") from None
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise MachineError(str(path), _why(error), "name another") from None


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "can't be written"
