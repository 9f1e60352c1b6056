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
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise MachineError(str(path), _why(error), "name another") from None
    try:
        _write(folder, path.name, content)
    except FileExistsError:
        raise MachineError(str(path), "is there already, and is left as it is", "name another") from None
    except (OSError, ValueError) as error:
        raise MachineError(str(path), _why(error), "name another") from None
    finally:
        os.close(folder)


def _write(folder: int, name: str, content: bytes) -> None:
    """Into an open folder; what was begun and failed is taken away again, unless the name leads elsewhere by then."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o600, dir_fd=folder)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as opened:
            opened.write(content)
    except OSError:
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(descriptor)):
                os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "can't be written"
