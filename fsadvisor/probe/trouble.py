"""What the kernel refused, in a sentence for the person who asked."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.engine import EngineError

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS: Final = {
    errno.ENOSPC: "there is no room left on the filesystem, or on what it stands on",
    errno.EDQUOT: "the quota is used up",
    errno.EROFS: "the filesystem is read-only, or has become so",
    errno.EIO: "the disk reported an error; look into the kernel's log",
    errno.ENODEV: "the device is gone",
    errno.ENXIO: "the device is gone",
    errno.ESTALE: "the filesystem is gone",
    errno.ENOENT: "it is gone",
    errno.EFBIG: "the file would be larger than the filesystem or a limit (ulimit -f) allows",
    errno.EMFILE: "too many files are open (ulimit -n)",
}


def because(number: int | None, doing: str) -> EngineError:
    """The error for an errno: 'while writing the scratch file in /srv: there is no room left (ENOSPC)'."""
    name = errno.errorcode.get(number or 0, "")
    words = _WORDS.get(number or 0, os.strerror(number).lower() if number else "the reason is not known")
    return EngineError(f"while {doing}: {words}" + (f" ({name})" if name else ""))


@contextlib.contextmanager
def told(doing: str) -> Iterator[None]:
    """Turn a refusal of the kernel into an EngineError that says what was being done, and where."""
    try:
        yield
    except OSError as error:
        raise because(error.errno, doing) from error
