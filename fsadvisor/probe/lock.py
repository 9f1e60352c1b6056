"""One probe at a time on a mount: a flock(2) on the folder where it is mounted, which leaves nothing behind."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown, unreadable
from fsadvisor.machine.runner import encoded

if TYPE_CHECKING:
    from collections.abc import Iterator

_REFUSED = (errno.EACCES, errno.EPERM)


@contextlib.contextmanager
def held(mount_point: str | None) -> Iterator[Fact[bool]]:
    """Holds the lock while in it, where it can be had; tells whether another has it."""
    if mount_point is None:
        yield Unknown(Cause.NOT_EXPOSED, "", "/proc/self/mountinfo")
        return
    try:
        descriptor = os.open(encoded(mount_point), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        yield _not_told(error, mount_point)
        return
    try:
        yield _taken(descriptor, mount_point)
    finally:
        os.close(descriptor)


def _taken(descriptor: int, mount_point: str) -> Fact[bool]:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return Known(True, f"flock {mount_point}")
    except OSError as error:
        return _not_told(error, mount_point)
    return Known(False, f"flock {mount_point}")


def _not_told(error: OSError | ValueError, mount_point: str) -> Unknown:
    source = f"flock {mount_point}"
    if isinstance(error, OSError) and error.errno in _REFUSED:
        return Unknown(Cause.DENIED, "run as root", source)
    return unreadable(str(getattr(error, "strerror", error)), source)
