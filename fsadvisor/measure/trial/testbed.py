"""Scratch filesystems side by side: images or parts of an empty device, loop devices, mkfs, mounts nobody else sees.

Only for a process of its own (`measure.child`) that has entered its own mount namespace. Killed at any moment it leaves
nothing: the image has no name, the loop device clears itself (autoclear), the mounts go with the namespace. Where an
image without a name is synced otherwise than others (Btrfs, F2FS: `probe.scratch`), it has one in the scratch tree,
which the next start takes away.

A loop device over a part of an open file goes with its last user: LOOP_CONFIGURE (Linux 5.8) attaches it with
LO_FLAGS_AUTOCLEAR in one step, so that there is no moment in which one who is killed leaves it. linux/loop.h,
drivers/block/loop.c.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from fsadvisor.measure.probe import EngineError, because, explained
from fsadvisor.measure.probe.scratch import scratch_file
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.measure.trial import mounting
from fsadvisor.measure.trial.mounting import Privacy, is_type, mounted, outside
from fsadvisor.survey.filesystem_types.registry import TYPES, type_of

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
    direct_io: bool
    """Whether it reads and writes the file past the page cache of the filesystem below."""
    write_cache: str | None
    """Its queue's, as it is: an earlier user's 'write through' stays at a loop device, and drops all flushes."""

    @property
    def path(self) -> str:
        """The path of the loop device: /dev/loop3."""
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
            direct_io=_attribute(name, "loop/dio") == "1",
            write_cache=_attribute(name, "queue/write_cache"),
        )
    finally:
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _flushed(file: int, offset: int, size: int) -> tuple[str, int]:
    """A free loop device that passes flushes on, if any: one that an earlier user set to 'write through' does not.

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
    """Configure a free loop device; where another program takes it first, the next free one."""
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


_MKFS_SECONDS: Final = 300.0
_STEP_BYTES: Final = 1 << 20
_SPARE: Final = 0.10
"""Of the filesystem under the images, that stays free: where it were full, programs of others would fail."""
LEAST_BYTES: Final = {it.name: it.least_bytes for it in TYPES.values() if it.least_bytes}
"""What the tools want at least."""


class MountedSide(msgspec.Struct, frozen=True, kw_only=True):
    """How a side of a trial is made and mounted, as the kernel shows it; `loop` is its loop device, such as loop3."""

    side: str
    mkfs: tuple[str, ...]
    options: tuple[str, ...]
    loop: str
    direct_io: bool
    write_cache: str | None


class ScratchFilesystem(Struct, frozen=True, kw_only=True):
    """A scratch filesystem to be made."""

    name: str
    """One word for messages and for the folder that it is mounted on: 'default'."""
    fs_type: str
    mkfs: tuple[str, ...] = ()
    """Arguments of mkfs.<fs_type>, after those that keep it from leaving work for later."""
    options: tuple[str, ...] = ()
    """Mount options."""


class DevicePart(Struct, frozen=True, kw_only=True):
    """A part of an open file or device that a scratch filesystem is made on."""

    descriptor: int
    offset: int
    size_bytes: int


class MountedScratch(Struct, frozen=True, kw_only=True):
    """A scratch filesystem that is mounted, in this process's namespace alone."""

    form: ScratchFilesystem
    folder: Path
    loop: str
    """The kernel name of its loop device, whose counters are its own: 'loop3'."""
    direct_io: bool
    write_cache: str | None
    """The loop device's; 'write through' drops the filesystem's flushes."""
    options: tuple[str, ...]
    """What the kernel shows."""
    mkfs: tuple[str, ...]
    """The command that made it, without the device."""


@contextlib.contextmanager
def images(folder: Path, count: int, size_bytes: int) -> Iterator[tuple[DevicePart, ...]]:
    """So many new, empty image files in the folder, of that size; nothing of them stays. Raises EngineError."""
    with explained(f"looking at the free space in {folder}"):
        room = os.statvfs(folder)
    free, needed = room.f_bavail * room.f_frsize, count * size_bytes
    if needed > free - _SPARE * room.f_blocks * room.f_frsize:
        raise EngineError(
            f"{folder} has {bytes_text(free)} free, of which a tenth of the filesystem has to stay: "
            f"too little for {count} images of {bytes_text(size_bytes)}"
        )
    with contextlib.ExitStack() as stack:
        parts = []
        for _ in range(count):
            file = stack.enter_context(scratch_file(folder, size_bytes, "sparse", synced=True))
            file.fill()
            parts.append(DevicePart(descriptor=file.descriptor, offset=0, size_bytes=size_bytes))
        yield tuple(parts)


@contextlib.contextmanager
def mounted_scratch(
    privacy: Privacy, form: ScratchFilesystem, part: DevicePart, *, solid: bool = True
) -> Iterator[MountedScratch]:
    """Make the filesystem on the part and mount it for as long as the block. Raises EngineError.

    `solid` writes every block of the part once before it is mounted: else the filesystem under an image allocates
    blocks, and commits that, in the middle of what is measured.
    """
    _check(form, part)
    with attached(part.descriptor, part.offset, part.size_bytes) as loop:
        made = mkfs_arguments(form)
        doing = f"making the {form.name} {form.fs_type}"
        mounting.run(f"mkfs.{form.fs_type}", (*made, loop.path), _MKFS_SECONDS, doing)
        if solid:
            _written_once(loop, part.size_bytes, form.name)
        with mounted(privacy, loop.path, form.fs_type, form.options, form.name) as mount:
            yield MountedScratch(
                form=form,
                folder=mount.folder,
                loop=loop.name,
                direct_io=loop.direct_io,
                write_cache=loop.write_cache,
                options=mount.options,
                mkfs=(f"mkfs.{form.fs_type}", *made),
            )


def mkfs_arguments(form: ScratchFilesystem) -> tuple[str, ...]:
    """The arguments of mkfs. mkfs.ext4 heeds the last -E alone, so several become one."""
    fs_type = type_of(form.fs_type)
    quiet = (*(fs_type.mkfs_quiet or ()), *fs_type.mkfs_at_once)
    if "-E" not in quiet or "-E" not in form.mkfs:
        return (*quiet, *form.mkfs)
    at = form.mkfs.index("-E")
    extended = ",".join((quiet[-1], *form.mkfs[at + 1 : at + 2]))
    return (*quiet[:-1], extended, *form.mkfs[:at], *form.mkfs[at + 2 :])


def _check(form: ScratchFilesystem, part: DevicePart) -> None:
    if not is_type(form.fs_type) or not is_type(form.name):
        raise EngineError(f"{form.fs_type!r} is no type of filesystem that can be made")
    if beyond := outside(form.options, form.mkfs):
        raise EngineError(f"{beyond!r} reaches beyond the image: a scratch filesystem has no other device and no file")
    if mounting.path_of(f"mkfs.{form.fs_type}") is None:
        raise mounting.missing(f"mkfs.{form.fs_type}")
    least = LEAST_BYTES.get(form.fs_type, 0)
    if part.size_bytes < least:
        raise EngineError(
            f"{bytes_text(part.size_bytes)} is too little for {form.fs_type}, which wants {bytes_text(least)}"
        )


def _written_once(loop: Loop, size_bytes: int, name: str) -> None:
    """Read every block and write it back as it is, past the page cache."""
    with explained(f"writing the blocks of the {name} image once"):
        descriptor = os.open(loop.path, os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC)
        try:
            with mmap.mmap(-1, _STEP_BYTES) as step:  # memory of its own begins at a page, as direct I/O wants it
                for offset in range(0, size_bytes, _STEP_BYTES):
                    with memoryview(step) as view, view[: min(_STEP_BYTES, size_bytes - offset)] as piece:
                        count = os.preadv(descriptor, [piece], offset)
                        with piece[:count] as read:
                            os.pwrite(descriptor, read, offset)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
