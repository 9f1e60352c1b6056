"""A mount namespace of this process's own, and scratch filesystems mounted in it.

Mounts in it are seen by nobody else, and the kernel takes them away with the last process in it: unshare(2) with
CLONE_NEWNS, mount_namespaces(7).

A new namespace has copies of all mounts, and a copy keeps a filesystem in use after an administrator has unmounted it.
So those that are not needed are let go at once, and the others are slaves (MS_SLAVE), not private: where the machine
shares its mounts, what is unmounted there is unmounted here, too.

What may not be said to mkfs and mount is another device or file than the scratch filesystem's own image: an external
journal (ext4), a log or realtime device (XFS), or one device more (Btrfs) would be written to, and made anew without a
question.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.machine.kept_files import PROBES
from fsadvisor.measure.probe.engine import EngineError, told
from fsadvisor.measure.trial import tools
from fsadvisor.readers import mount_tables
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_NAMING: Final = frozenset(
    ("device", "name", "file", "logdev", "rtdev", "journal_dev", "journal_path", "loop", "remount", "bind", "rbind")
)
"""Words that name a device or a file in their value, or have mount(8) do something else than mount the image."""


def outside(options: Iterable[str], mkfs: Iterable[str]) -> str:
    """The first of the mount options and arguments of mkfs that reaches beyond the image, '' where none does."""
    found = (word for option in options for word in option.split(",") if _names(word))
    return next(chain(found, _words_of(mkfs)), "")


def _words_of(words: Iterable[str]) -> Iterator[str]:
    """Those that name something, and those that stand alone: to mkfs such a word is a device, or a size."""
    alone = True
    for word in words:
        is_option = word.startswith("-")
        if (alone and not is_option) or "/" in word or any("=" in it and _names(it) for it in word.split(",")):
            yield word
        alone = not is_option


def _names(word: str) -> bool:
    return "/" in word or word.partition("=")[0] in _NAMING


_CLONE_NEWNS: Final = 0x20000  # linux/sched.h
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE, _MS_SLAVE = 2, 4, 0x4000, 1 << 18, 1 << 19  # linux/mount.h
_MNT_DETACH: Final = 2
_GROUNDS: Final = ("/mnt", "/media", "/srv", "/opt", "/boot", "/var/tmp", "/tmp")  # noqa: S108 - hidden, not written
"""Folders that nearly every system has; the first one that hides nothing we need is covered by a tmpfs of our own."""
_SYSTEM: Final = ("/proc", "/sys", "/dev", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/nix", "/gnu")
"""Where the kernel's own files and tools are, with what is mounted there."""
_MOUNT_SECONDS: Final = 60.0


class Privacy(Struct, frozen=True):
    """The folder, empty at first, in which this process's own mounts are made."""

    folder: Path


def enter(needed: Sequence[Path]) -> Privacy:
    """Leave the machine's mount namespace for ever; `needed` are paths that have to stay visible. Raises EngineError.

    Only for a process that is made for it: nothing that it mounts is seen outside, and it never comes back.
    """
    with told("leaving the machine's mounts alone (unshare needs root)"):
        _called(_libc().unshare(_CLONE_NEWNS))
    with told("cutting off our mounts from the machine's"):
        _mount(b"none", b"/", b"", _MS_SLAVE | _MS_REC, b"")
    wanted = [path.resolve() for path in (*needed, *map(Path, _own()))]
    _let_go(wanted)
    ground = _ground(wanted)
    with told(f"covering {ground} in our own namespace"):
        _mount(b"fsadvisor", os.fsencode(ground), b"tmpfs", _MS_NOSUID | _MS_NODEV, b"size=1m,mode=700")
        _mount(b"none", os.fsencode(ground), b"", _MS_PRIVATE, b"")
    return Privacy(folder=ground)


def _let_go(needed: Sequence[Path]) -> None:
    """Unmount, here alone, what neither we nor a tool needs: the last mounted first."""
    record = mount_tables.parse_mountinfo(Path("/proc/self/mountinfo").read_text(errors="surrogateescape"))
    if isinstance(record, Unknown):
        return
    wanted = (*needed, *map(Path, _SYSTEM))
    for mount in reversed(record.mounts):
        place = Path(mount.mount_point)
        above = any(one.is_relative_to(place) for one in wanted)
        if not above and not any(place.is_relative_to(one) for one in _SYSTEM):
            _libc().umount2(os.fsencode(place), _MNT_DETACH)


def _own() -> tuple[str, ...]:
    """Where Python and this program are, which load modules later, and where this program keeps what it makes."""
    return (__file__, sys.executable, sys.prefix, sys.base_prefix, *(place for place in sys.path if place), PROBES)


def _ground(needed: Sequence[Path]) -> Path:
    for name in _GROUNDS:
        place = Path(name)
        if place.is_dir() and not place.is_symlink() and not any(path.is_relative_to(place) for path in needed):
            return place
    raise EngineError(f"none of {', '.join(_GROUNDS)} is a folder that could be covered for our own mounts")


class Mounted(Struct, frozen=True):
    """A mounted filesystem; `options` are those that the kernel shows, of the mount and then of the filesystem."""

    folder: Path
    options: tuple[str, ...]


@contextlib.contextmanager
def mounted(privacy: Privacy, device: str, fs_type: str, options: Sequence[str], name: str) -> Iterator[Mounted]:
    """The device's filesystem mounted for as long as the block. Raises EngineError with mount(8)'s own words."""
    folder = privacy.folder / name
    with told(f"making {folder}"):
        folder.mkdir()
    try:
        tools.run("mount", arguments(device, folder, fs_type, options), _MOUNT_SECONDS, f"mounting {device}")
        yield Mounted(folder=folder, options=shown_options(folder))
    finally:
        _unmount(folder)  # also where mount(8) had mounted it and did not end in time
        with contextlib.suppress(OSError):
            folder.rmdir()


def arguments(device: str, folder: Path, fs_type: str, options: Sequence[str]) -> tuple[str, ...]:
    """What mount(8) is told, so that it starts nothing that outlives us and holds the mount: no helper of the type's.

    That of NILFS2 is needed, and is told to start no cleaner.
    """
    of_helper = type_of(fs_type).helper_options
    said = (*options, *of_helper)
    internal = () if of_helper else ("-i",)
    option = ("-o", ",".join(said)) if said else ()
    return ("-n", *internal, "-t", fs_type, *option, device, str(folder))


def shown_options(folder: Path) -> tuple[str, ...]:
    """What the kernel says that it is mounted with; () where that cannot be read."""
    record = mount_tables.parse_mountinfo(Path("/proc/self/mountinfo").read_text(errors="surrogateescape"))
    found = () if isinstance(record, Unknown) else [it for it in record.mounts if it.mount_point == str(folder)]
    return tuple(dict.fromkeys((*found[-1].options, *found[-1].super_options))) if found else ()


def _unmount(folder: Path) -> None:
    """Off the tree at once; the kernel writes it out and lets it go with what still has a file of it open."""
    libc = _libc()
    if libc.umount2(os.fsencode(folder), 0):
        libc.umount2(os.fsencode(folder), _MNT_DETACH)


def _mount(source: bytes, target: bytes, kind: bytes, flags: int, data: bytes) -> None:
    _called(_libc().mount(source, target, kind or None, ctypes.c_ulong(flags), data or None))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _called(status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


_TYPE: Final = re.compile(r"[a-z0-9_.-]+")


def is_type(text: str) -> bool:
    """Whether it can be the name of a filesystem's type, and of a tool after 'mkfs.'."""
    return _TYPE.fullmatch(text) is not None and not text.startswith((".", "-"))
