"""Scratch filesystems made and mounted: tools from fixed folders, and a mount namespace of this process's own.

The tools run without a shell, and are killed by the kernel with us.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.machine import packages, time_limits
from fsadvisor.machine.kept_files import PROBES
from fsadvisor.machine.runner import TOOL_FOLDERS
from fsadvisor.measure.probe import EngineError, because, explained
from fsadvisor.measure.probe.processes import launcher, reap
from fsadvisor.readers import mount_tables
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_PATH: Final = ":".join(TOOL_FOLDERS)
_MOST_SAID: Final = 300


def path_of(tool: str) -> str | None:
    """Where a tool is, or None."""
    return shutil.which(tool, path=_PATH)


def missing(tool: str) -> EngineError:
    """The error where it is not installed."""
    package = packages.package_bringing(tool) if tool in packages.PACKAGES else ""
    return EngineError(f"{tool} is not installed{f': it is in the package {package}' if package else ''}")


def run(tool: str, arguments: Sequence[str], seconds: float, doing: str) -> str:
    """What it prints, where it succeeds. Raises EngineError with its own last words where it does not."""
    out, stderr, status = _ended(tool, arguments, seconds, doing)
    if status:
        words = " ".join(line.strip() for line in (stderr or out).splitlines() if line.strip())[:_MOST_SAID]
        raise EngineError(f"while {doing}: {tool} {f'said: {words}' if words else f'ended with {status}'}")
    return out


def status_of(tool: str, arguments: Sequence[str], seconds: float, doing: str) -> tuple[int, str]:
    """Its exit status and what it prints. Raises EngineError where it is missing or does not end."""
    out, _, status = _ended(tool, arguments, seconds, doing)
    return status, out


def _ended(tool: str, arguments: Sequence[str], seconds: float, doing: str) -> tuple[str, str, int]:
    path = path_of(tool)
    if path is None:
        raise missing(tool)
    try:
        child = subprocess.Popen(  # noqa: S603 - fixed folders, no shell
            (*launcher(), path, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"LC_ALL": "C", "PATH": _PATH, **time_limits.mark()},
            start_new_session=True,
        )
    except OSError as error:
        raise because(error.errno, f"starting {path}") from error
    try:
        out, stderr = child.communicate(timeout=seconds)
    except BaseException as error:
        _kill(child)
        if isinstance(error, subprocess.TimeoutExpired):
            raise EngineError(f"while {doing}: {path} did not end within {seconds:.0f} s") from None
        raise
    return out.decode(errors="replace"), stderr.decode(errors="replace"), child.returncode


def _kill(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
    if reap([child]):
        for pipe in (child.stdout, child.stderr):
            if pipe:
                pipe.close()


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
_COVERABLE: Final = ("/mnt", "/media", "/srv", "/opt", "/boot", "/var/tmp", "/tmp")  # noqa: S108 - hidden, not written
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
    with explained("leaving the machine's mounts alone (unshare needs root)"):
        _called(_libc().unshare(_CLONE_NEWNS))
    with explained("cutting off our mounts from the machine's"):
        _mount(b"none", b"/", b"", _MS_SLAVE | _MS_REC, b"")
    wanted = [path.resolve() for path in (*needed, *map(Path, _own()))]
    _let_go(wanted)
    covered = _coverable(wanted)
    with explained(f"covering {covered} in our own namespace"):
        _mount(b"fsadvisor", os.fsencode(covered), b"tmpfs", _MS_NOSUID | _MS_NODEV, b"size=1m,mode=700")
        _mount(b"none", os.fsencode(covered), b"", _MS_PRIVATE, b"")
    return Privacy(folder=covered)


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


def _coverable(needed: Sequence[Path]) -> Path:
    for name in _COVERABLE:
        place = Path(name)
        if place.is_dir() and not place.is_symlink() and not any(path.is_relative_to(place) for path in needed):
            return place
    raise EngineError(f"none of {', '.join(_COVERABLE)} is a directory that could be covered for our own mounts")


class Mounted(Struct, frozen=True):
    """A mounted filesystem; `options` are those that the kernel shows, of the mount and then of the filesystem."""

    folder: Path
    options: tuple[str, ...]


@contextlib.contextmanager
def mounted(privacy: Privacy, device: str, fs_type: str, options: Sequence[str], name: str) -> Iterator[Mounted]:
    """The device's filesystem mounted for as long as the block. Raises EngineError with mount(8)'s own words."""
    folder = privacy.folder / name
    with explained(f"making {folder}"):
        folder.mkdir()
    try:
        run("mount", arguments(device, folder, fs_type, options), _MOUNT_SECONDS, f"mounting {device}")
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
