"""Opens files and directories so that nothing happens by it, and those of a container by the root that it sees.

A container's files are a stranger's: a link in them may be meant to lead us to the host's. openat2(2) follows every
link below that root, as the container itself would (RESOLVE_IN_ROOT); before Linux 5.6 nothing is opened.

https://man7.org/linux/man-pages/man2/openat2.2.html
"""

from __future__ import annotations

import errno
import os
import re
import stat
import struct
from typing import TYPE_CHECKING, Final, TypeVar

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, cannot_be_read, decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

T = TypeVar("T")

_PATH: Final = re.compile(rb"(/proc/[1-9]\d{0,9}/root)(/.*)", re.DOTALL)
_OPENAT2: Final = 437
"""On every architecture of Linux but alpha."""
_IN_ROOT, _NO_MAGIC_LINKS = 0x10, 0x02
_TURNS: Final = 3
"""The kernel asks to try again where something above was renamed meanwhile."""


def is_inside_container(path: bytes) -> bool:
    """Whether a path is one of a container's."""
    return _PATH.fullmatch(path) is not None


def located_in_container(path: bytes) -> int:
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


def opened(path: bytes, flags: int = 0) -> int:
    """A descriptor for reading. Raises OSError.

    The kernel lets the owner and root keep the access time; of what is somebody else's it changes as the mount says.
    """
    flags |= os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        return os.open(path, flags | os.O_NOATIME)
    except PermissionError:
        return os.open(path, flags)


def regular(path: bytes) -> int | None:
    """A descriptor of a regular file, None where the path leads to anything else. Raises OSError.

    It is looked at before it is opened, and then opened without its name: what another user puts into its place
    meanwhile, or a link to it, is no way to have root open a watchdog, which then resets the machine. A file of no size
    is empty; those of /proc and tracefs, to which a link may lead, have none, and some of them are used up by reading.
    """
    known = located_in_container(path)
    try:
        status = os.fstat(known)
        if not stat.S_ISREG(status.st_mode):
            return None
        return opened(b"/dev/null" if status.st_size == 0 else b"/proc/self/fd/%d" % known)
    finally:
        os.close(known)


def names_in(path: bytes) -> list[str]:
    """The names in a directory, as os.listdir gives them. Raises OSError."""
    directory = _in_container(path) if is_inside_container(path) else opened(path, os.O_DIRECTORY)
    try:
        return os.listdir(directory)  # noqa: PTH208 - an open directory
    finally:
        os.close(directory)


def _in_container(path: bytes) -> int:
    known = located_in_container(path)
    try:
        return opened(b"/proc/self/fd/%d" % known, os.O_DIRECTORY)
    finally:
        os.close(known)


def changed(path: bytes) -> int:
    """When a file was changed, in seconds since 1970. Raises OSError."""
    known = located_in_container(path)
    try:
        return int(os.fstat(known).st_mtime)
    finally:
        os.close(known)


def kept(below: bytes, name: str, of: str, take: Callable[[int, int], T]) -> T | Unknown | None:
    """What `take` makes of a regular file's descriptor and size; None where that name has none: a link is none."""
    try:
        descriptor = os.open(below + encoded(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError:
        return Unknown(Cause.DENIED, f"make {of} readable for yourself", name)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        return take(descriptor, status.st_size) if stat.S_ISREG(status.st_mode) else None
    except OSError as error:
        return cannot_be_read(error, name)
    finally:
        os.close(descriptor)


_CHOICE_OF_OUTPUT = "name a file with a tool's output"
_OWN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""What the caller has opened for us: it may be a pipe, and may be waited for."""


def captured_text(path: Path, most: int = OUTPUT_CAP_BYTES, choice: str = _CHOICE_OF_OUTPUT) -> str:
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
            content = file.read(most + 1) or b""  # None: nothing yet, of what is never at its end
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "can't be read"
        raise MachineError(str(path), said, choice) from None
    if len(content) > most:
        raise MachineError(str(path), f"more than {most >> 20} MiB", choice)
    return decoded(content)
