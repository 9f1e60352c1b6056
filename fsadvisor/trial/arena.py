"""Scratch filesystems side by side: images or parts of an empty device, loop devices, mkfs, mounts nobody else sees.

Only for a process of its own (`measure.child`) that has entered its own mount namespace. Killed at any moment it leaves
nothing: the image has no name, the loop device clears itself (autoclear), the mounts go with the namespace. Where an
image without a name is synced otherwise than others (Btrfs, F2FS: `probe.scratch`), it has one in the scratch tree,
which the next start takes away.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from fsadvisor.probe.engine import EngineError, told
from fsadvisor.probe.finding import bytes_text
from fsadvisor.probe.scratch import scratch_file
from fsadvisor.survey.filesystem_types.registry import TYPES, type_of
from fsadvisor.trial import tools
from fsadvisor.trial.loop import Loop, attached
from fsadvisor.trial.mounting import Privacy, is_type, mounted
from fsadvisor.trial.outside import outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_MKFS_SECONDS: Final = 300.0
_STEP_BYTES: Final = 1 << 20
_SPARE: Final = 0.10
"""Of the filesystem under the images, that stays free: where it were full, programs of others would fail."""
LEAST_BYTES: Final = {it.name: it.least_bytes for it in TYPES.values() if it.least_bytes}
"""What the tools want at least."""


class Stand(msgspec.Struct, frozen=True, kw_only=True):
    """How a side stands, as the kernel tells."""

    side: str
    mkfs: tuple[str, ...]
    options: tuple[str, ...]
    loop: str
    direct_io: bool
    write_cache: str | None


class Form(Struct, frozen=True, kw_only=True):
    """A scratch filesystem to be made."""

    name: str
    """One word for messages and for the folder that it is mounted on: 'default'."""
    fs_type: str
    mkfs: tuple[str, ...] = ()
    """Arguments of mkfs.<fs_type>, after those that keep it from leaving work for later."""
    options: tuple[str, ...] = ()
    """Mount options."""


class Part(Struct, frozen=True, kw_only=True):
    """A part of an open file or device that a scratch filesystem is made on."""

    descriptor: int
    offset: int
    size_bytes: int


class Standing(Struct, frozen=True, kw_only=True):
    """A scratch filesystem that is mounted, in this process's namespace alone."""

    form: Form
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
def images(folder: Path, count: int, size_bytes: int) -> Iterator[tuple[Part, ...]]:
    """So many new, empty image files in the folder, of that size; nothing of them stays. Raises EngineError."""
    with told(f"looking at the room in {folder}"):
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
            parts.append(Part(descriptor=file.descriptor, offset=0, size_bytes=size_bytes))
        yield tuple(parts)


@contextlib.contextmanager
def standing(privacy: Privacy, form: Form, part: Part, *, solid: bool = True) -> Iterator[Standing]:
    """Make the filesystem on the part and mount it for as long as the block. Raises EngineError.

    `solid` writes every block of the part once before it is mounted: else the filesystem under an image allocates
    blocks, and commits that, in the middle of what is measured.
    """
    _check(form, part)
    with attached(part.descriptor, part.offset, part.size_bytes) as loop:
        made = arguments(form)
        doing = f"making the {form.name} {form.fs_type}"
        tools.run(f"mkfs.{form.fs_type}", (*made, loop.path), _MKFS_SECONDS, doing)
        if solid:
            _written_once(loop, part.size_bytes, form.name)
        with mounted(privacy, loop.path, form.fs_type, form.options, form.name) as mount:
            yield Standing(
                form=form,
                folder=mount.folder,
                loop=loop.name,
                direct_io=loop.direct_io,
                write_cache=loop.write_cache,
                options=mount.options,
                mkfs=(f"mkfs.{form.fs_type}", *made),
            )


def arguments(form: Form) -> tuple[str, ...]:
    """What mkfs is told. Of several -E the tools of ext4 heed one, so that they become one."""
    fs_type = type_of(form.fs_type)
    quiet = (*(fs_type.mkfs_quiet or ()), *fs_type.mkfs_at_once)
    if "-E" not in quiet or "-E" not in form.mkfs:
        return (*quiet, *form.mkfs)
    at = form.mkfs.index("-E")
    extended = ",".join((quiet[-1], *form.mkfs[at + 1 : at + 2]))
    return (*quiet[:-1], extended, *form.mkfs[:at], *form.mkfs[at + 2 :])


def _check(form: Form, part: Part) -> None:
    if not is_type(form.fs_type) or not is_type(form.name):
        raise EngineError(f"{form.fs_type!r} is no type of filesystem that can be made")
    if beyond := outside(form.options, form.mkfs):
        raise EngineError(f"{beyond!r} reaches beyond the image: a scratch filesystem has no other device and no file")
    if tools.path_of(f"mkfs.{form.fs_type}") is None:
        raise tools.missing(f"mkfs.{form.fs_type}")
    least = LEAST_BYTES.get(form.fs_type, 0)
    if part.size_bytes < least:
        raise EngineError(
            f"{bytes_text(part.size_bytes)} is too little for {form.fs_type}, which wants {bytes_text(least)}"
        )


def _written_once(loop: Loop, size_bytes: int, name: str) -> None:
    """Read every block and write it back as it is, past the page cache."""
    with told(f"writing the blocks of the {name} image once"):
        descriptor = os.open(loop.path, os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC)
        try:
            with mmap.mmap(-1, _STEP_BYTES) as step:  # memory of its own begins at a page, as direct I/O wants it
                for at in range(0, size_bytes, _STEP_BYTES):
                    with memoryview(step) as view, view[: min(_STEP_BYTES, size_bytes - at)] as piece:
                        count = os.preadv(descriptor, [piece], at)
                        with piece[:count] as read:
                            os.pwrite(descriptor, read, at)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def arena(
    privacy: Privacy, forms: Sequence[Form], parts: Sequence[Part], *, solid: bool = True
) -> Iterator[tuple[Standing, ...]]:
    """All of them side by side, in the order of the forms. Raises EngineError."""
    with contextlib.ExitStack() as stack:
        pairs = zip(forms, parts, strict=True)
        yield tuple(stack.enter_context(standing(privacy, form, part, solid=solid)) for form, part in pairs)
