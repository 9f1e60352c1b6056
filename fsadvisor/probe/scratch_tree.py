"""The one folder with a name that a probe makes: `.fsadvisor-scratch-<boot>-<pid>-<start>` in the folder it measures.

Its owner holds a lock on it, which the kernel drops with the process. Who comes next takes away the trees whose owner
is dead by both signs: the name tells a process that is not there now (of another boot, or another start under the same
number), and nobody holds the lock. The lock counts in other PID namespaces too, where numbers tell nothing.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.engine import EngineError
from fsadvisor.probe.trouble import told

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX: Final = ".fsadvisor-scratch-"
_NAME: Final = re.compile(rf"{re.escape(PREFIX)}([0-9a-f]{{8}})-([0-9]{{1,10}})-([0-9]{{1,20}})")
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_DEEPEST: Final = 16
"""No tree of ours is deeper; one that is, is left alone."""
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_HELD: Final[set[Path]] = set()
"""The trees that this process has at the moment."""
_LOCK_UNKNOWN: Final = {errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.ENOSYS}


def own_name() -> str:
    """The name of this process's tree."""
    return f"{PREFIX}{_boot()}-{os.getpid()}-{_start_of(os.getpid()) or 0}"


@contextlib.contextmanager
def tree(folder: Path) -> Iterator[Path]:
    """Make the tree of this process, for as long as the block; then it is taken away. Raises EngineError.

    Within the block it may be asked for again: that is the same tree.
    """
    place = folder / own_name()
    if place in _HELD:
        yield place
        return
    if place.is_dir():  # an earlier job of this process could not take it away
        _remove(folder, place.name)
    descriptor = _made(place)
    _HELD.add(place)
    try:
        _lock(descriptor)
        yield place
    except EngineError as error:
        why = _remove(folder, place.name)
        if why:
            raise EngineError(f"{error}; {_stays(place, why)}") from error
        raise
    except BaseException:
        _remove(folder, place.name)
        raise
    finally:
        _HELD.discard(place)
        os.close(descriptor)
    why = _remove(folder, place.name)
    if why:
        raise EngineError(_stays(place, why))


def _stays(place: Path, why: str) -> str:
    return f"{place} could not be taken away: {why}; the next probe here tries again"


def _made(place: Path) -> int:
    """Make the folder and open it; where that fails, or somebody stops us meanwhile, nothing of ours stays."""
    with told(f"making the scratch folder {place}"):
        try:
            place.mkdir(mode=0o700)
            return os.open(place, _FOLDER)
        except FileExistsError:
            raise
        except BaseException:
            with contextlib.suppress(OSError):
                place.rmdir()
            raise


def clear(folder: Path) -> tuple[str, ...]:
    """Take away what probes that were killed left in a folder; one sentence for each tree. Never raises OSError.

    Only trees of this user are touched; nothing in them is followed out of them, be it a link or a mount.
    """
    try:
        names = sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name))  # noqa: PTH208 - names alone
    except OSError:
        return ()
    return tuple(said for name in names if (said := _clear(folder, name)))


def _clear(folder: Path, name: str) -> str:
    if _may_live(name):
        return ""
    try:
        descriptor = os.open(folder / name, _FOLDER)
    except OSError:
        return ""  # gone, or no folder of ours
    try:
        if os.fstat(descriptor).st_uid != os.geteuid() or not _lock(descriptor):
            return ""
        why = _remove(folder, name)
    finally:
        os.close(descriptor)
    return (
        f"{folder / name} could not be taken away: {why}"
        if why
        else f"took away {folder / name}, left by a killed probe"
    )


def _may_live(name: str) -> bool:
    """Whether the process of the name runs, as far as this PID namespace shows."""
    found = _NAME.fullmatch(name)
    if found is None:
        return True
    boot, number, start = found.groups()
    return boot == _boot() and _start_of(int(number)) == int(start)


def _boot() -> str:
    """The first eight digits of this boot's id; zeros where it cannot be read."""
    try:
        return _BOOT_ID.read_text()[:8]
    except OSError:
        return "0" * 8


def _start_of(number: int) -> int | None:
    """When a process started, in clock ticks since boot; None where there is none."""
    try:
        return int(Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def _lock(descriptor: int) -> bool:
    """Hold the lock that says that a tree is in use; False where another process holds it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _LOCK_UNKNOWN
    return True


def _remove(folder: Path, name: str) -> str:
    """Take a tree away with all that is in it; returns why not, or ''."""
    try:
        above = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        return os.strerror(error.errno or 0)
    try:
        _remove_at(above, name, _mount_of(above), _DEEPEST)
    except OSError as error:
        return os.strerror(error.errno or 0)
    finally:
        os.close(above)
    return ""


def _remove_at(above: int, name: str, mount: str, depth: int) -> None:
    """Take away a folder inside an open folder. Raises OSError: EXDEV at a mount, ELOOP where it is too deep."""
    if depth == 0:
        raise OSError(errno.ELOOP, "")
    descriptor = os.open(name, _FOLDER, dir_fd=above)
    try:
        if _mount_of(descriptor) != mount:
            raise OSError(errno.EXDEV, "")
        with os.scandir(descriptor) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for inner, is_folder in found:
            if is_folder:
                _remove_at(descriptor, inner, mount, depth - 1)
            else:
                os.unlink(inner, dir_fd=descriptor)
    finally:
        os.close(descriptor)
    os.rmdir(name, dir_fd=above)


def _mount_of(descriptor: int) -> str:
    """The id of the mount that an open folder was reached by; binds of one filesystem differ. Raises OSError."""
    for line in Path(f"/proc/self/fdinfo/{descriptor}").read_text().splitlines():
        if line.startswith("mnt_id:"):
            return line
    raise OSError(errno.ENOTSUP, "")
