"""A loop device over a part of an open file, which the kernel takes away with its last user.

LOOP_CONFIGURE (Linux 5.8) attaches it with LO_FLAGS_AUTOCLEAR in one step: there is no moment in which one who is
killed leaves it. linux/loop.h, drivers/block/loop.c.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.probe.engine import EngineError, because

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTROL: Final = "/dev/loop-control"
_GET_FREE, _CONFIGURE = 0x4C82, 0x4C0A
_AUTOCLEAR, _DIRECT_IO = 4, 16
_CONFIG: Final = struct.Struct("=II QQQQQ IIII 64s64s32s QQ 64s")
"""struct loop_config: descriptor, block size, struct loop_info64, reserved."""
_TRIES: Final = 32
_MOST_PASSED_OVER: Final = 4
_TOO_OLD: Final = (errno.EINVAL, errno.ENOTTY)


class Loop(Struct, frozen=True, kw_only=True):
    """An attached loop device, open for as long as its block."""

    name: str
    """The kernel's, 'loop3'."""
    descriptor: int
    direct_io: bool
    """Whether it reads and writes the file past the page cache of the filesystem below."""
    write_cache: str | None
    """Its queue's, as it is: an earlier user's 'write through' stays at a loop device, and drops all flushes."""
    fua: bool | None

    @property
    def path(self) -> str:
        """/dev/loop3."""
        return f"/dev/{self.name}"


@contextlib.contextmanager
def attached(file: int, offset: int, size: int) -> Iterator[Loop]:
    """A free loop device over `size` bytes of the open file from `offset` on, both in bytes. Raises EngineError.

    Direct I/O is asked for, and had where the file's filesystem has it; `direct_io` tells.
    """
    with contextlib.suppress(OSError):  # what has no O_DIRECT goes through the page cache, and that is told
        fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_DIRECT)
    name, descriptor = _flushed(file, offset, size)
    try:
        yield Loop(
            name=name,
            descriptor=descriptor,
            direct_io=_attribute(name, "loop/dio") == "1",
            write_cache=_attribute(name, "queue/write_cache"),
            fua=None if (fua := _attribute(name, "queue/fua")) is None else fua == "1",
        )
    finally:
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _flushed(file: int, offset: int, size: int) -> tuple[str, int]:
    """One that passes flushes on, if there is one: those with an earlier user's 'write through' are passed over.

    They are held until another is had, because the kernel would give the same again.
    """
    with contextlib.ExitStack() as held:
        for _ in range(_MOST_PASSED_OVER):
            name, descriptor = _configured(file, offset, size)
            if _attribute(name, "queue/write_cache") != "write through":
                return name, descriptor
            held.callback(os.close, descriptor)
        return _configured(file, offset, size)


def _configured(file: int, offset: int, size: int) -> tuple[str, int]:
    """Take a free one; where another is quicker, the next."""
    for _ in range(_TRIES):
        name = _free()
        try:
            descriptor = os.open(f"/dev/{name}", os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise because(error.errno, f"opening the loop device /dev/{name}") from error
        try:
            fcntl.ioctl(descriptor, _CONFIGURE, _config(file, offset, size))
        except OSError as error:
            os.close(descriptor)
            if error.errno == errno.EBUSY:
                continue
            if error.errno in _TOO_OLD:
                raise EngineError(
                    "this kernel attaches no loop device in one step (LOOP_CONFIGURE, Linux 5.8), and in two "
                    "it could stay behind where we are killed"
                ) from error
            raise because(error.errno, f"attaching the loop device /dev/{name}") from error
        except BaseException:
            os.close(descriptor)
            raise
        return name, descriptor
    raise EngineError(f"no loop device could be had in {_TRIES} tries: others take them as fast")


def _free() -> str:
    try:
        control = os.open(_CONTROL, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        raise EngineError(f"there is no {_CONTROL}: load the module loop, or leave the container") from None
    except OSError as error:
        raise because(error.errno, f"opening {_CONTROL} (that needs root)") from error
    try:
        return f"loop{fcntl.ioctl(control, _GET_FREE)}"
    except OSError as error:
        raise because(error.errno, "asking for a free loop device") from error
    finally:
        os.close(control)


def _config(file: int, offset: int, size: int) -> bytes:
    info = (0, 0, 0, offset, size, 0, 0, 0, _AUTOCLEAR | _DIRECT_IO, b"fsadvisor", b"", b"", 0, 0)
    return _CONFIG.pack(file, 0, *info, b"")


def _attribute(name: str, attribute: str) -> str | None:
    try:
        return Path("/sys/block", name, attribute).read_text().strip()
    except OSError:
        return None
