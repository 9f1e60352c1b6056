"""The one folder with a name that a probe makes: `.fsadvisor-scratch-<boot>-<pid>-<start>` in the folder it measures.

Its owner holds a lock on it, which the kernel drops with the process. Who comes next takes away the trees whose owner
is dead by both signs: the name tells a process that is not there now (of another boot, or another start under the same
number), and nobody holds the lock. The lock counts in other PID namespaces too, where numbers tell nothing.

The name can be foreseen, and the folder may belong to somebody else. So a tree counts as ours only when it is ours by
its owner, it is written to by its descriptor and not by its name, and only that same folder is taken away.
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
_HELD: Final[dict[Path, int]] = {}
"""The trees that this process has at the moment, with their descriptors."""
_LOCK_UNKNOWN: Final = {errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.ENOSYS}


def own_name() -> str:
    """The name of this process's tree."""
    return f"{PREFIX}{_boot()}-{os.getpid()}-{_start_of(os.getpid()) or 0}"


@contextlib.contextmanager
def tree(folder: Path) -> Iterator[Path]:
    """Make the tree of this process, for as long as the block; then it is taken away. Raises EngineError.

    Within the block it may be asked for again: that is the same tree.
    """
    place = Path(os.path.realpath(folder), own_name())
    if place in _HELD:
        yield place
        return
    _clear(place.parent, place.name)  # an earlier job of this process could not take it away
    descriptor = _made(place)
    _HELD[place] = descriptor
    try:
        yield place
    except EngineError as error:
        why = _remove(place, descriptor)
        if why:
            raise EngineError(f"{error}; {_stays(place, why)}") from error
        raise
    except BaseException:
        _remove(place, descriptor)
        raise
    else:
        why = _remove(place, descriptor)
        if why:
            raise EngineError(_stays(place, why))
    finally:
        del _HELD[place]
        os.close(descriptor)


def descriptor_of(place: Path) -> int:
    """The descriptor by which to write into a tree of this process: its name may be moved to something else."""
    return _HELD[place]


def _stays(place: Path, why: str) -> str:
    return f"{place} could not be taken away: {why}; the next probe here tries again"


def _made(place: Path) -> int:
    """Make the folder, open and lock it; where that fails, or somebody stops us meanwhile, nothing of ours stays."""
    descriptor = -1
    with told(f"making the scratch folder {place}"):
        try:
            place.mkdir(mode=0o700)
            descriptor = os.open(place, _FOLDER)
            why = _not_ours(descriptor) or _not_locked(place, descriptor)
        except FileExistsError:
            raise
        except BaseException:  # a signal is heard as mkdir returns, too
            _unmade(place, descriptor)
            raise
    if why:
        os.close(descriptor)
        raise EngineError(f"{place} is not used: {why}")
    return descriptor


def _unmade(place: Path, descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)
    with contextlib.suppress(OSError):
        if place.lstat().st_uid == os.geteuid():
            place.rmdir()


def _not_ours(descriptor: int) -> str:
    """Why an open folder is not the empty one that we have just made, ''."""
    if os.fstat(descriptor).st_uid != os.geteuid():
        return "it belongs to another user, though we have just made it; run as the owner of the filesystem's files"
    return "it is not empty, though we have just made it" if os.listdir(descriptor) else ""


def _not_locked(place: Path, descriptor: int) -> str:
    """Why it is not locked by us and still there; somebody in another PID namespace may take it for a dead one's."""
    if _lock(descriptor) is False:
        return "another process has its lock"
    return "" if _is(place, descriptor) else "somebody has taken it away"


def _is(place: Path, descriptor: int) -> bool:
    """Whether the place is that open folder."""
    try:
        return os.path.samestat(place.lstat(), os.fstat(descriptor))
    except OSError:
        return False


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
    place = folder / name
    if may_live(name) and name != own_name():
        return ""
    try:
        descriptor = os.open(place, _FOLDER)
    except OSError:
        return ""  # gone, or no folder of ours
    try:
        if os.fstat(descriptor).st_uid != os.geteuid():
            return ""
        locked = _lock(descriptor)
        if locked is None:
            return f"{place} stays: whether a probe still uses it cannot be told there; if none runs, remove it"
        why = _remove(place, descriptor) if locked else ""
    finally:
        os.close(descriptor)
    if not locked:
        return ""
    return f"{place} could not be taken away: {why}" if why else f"took away {place}, left by a killed probe"


def may_live(name: str) -> bool:
    """Whether the process runs that has this for its `own_name`, as far as this PID namespace shows."""
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


def _lock(descriptor: int) -> bool | None:
    """Hold the lock that says that a tree is in use; False where another has it, None where there are no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return None if error.errno in _LOCK_UNKNOWN else False
    return True


def _remove(place: Path, descriptor: int) -> str:
    """Take an open tree away with all that is in it; returns why not, or ''."""
    try:
        above = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        return os.strerror(error.errno or 0)
    try:
        if not _is(place, descriptor):
            return "it is not there any more, or something else is in its place"
        _empty(descriptor, _mount_of(above), _DEEPEST)
        os.rmdir(place.name, dir_fd=above)
    except OSError as error:
        return os.strerror(error.errno or 0)
    finally:
        os.close(above)
    return ""


def _empty(descriptor: int, mount: str, depth: int) -> None:
    """Take away what is in an open folder. Raises OSError: EXDEV at a mount, ELOOP where it is too deep."""
    if depth == 0:
        raise OSError(errno.ELOOP, "")
    if _mount_of(descriptor) != mount:
        raise OSError(errno.EXDEV, "")
    anew = os.open(".", _FOLDER, dir_fd=descriptor)  # Btrfs lists what was there when a folder was opened
    try:
        with os.scandir(anew) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    finally:
        os.close(anew)
    for name, is_folder in found:
        if not is_folder:
            os.unlink(name, dir_fd=descriptor)
            continue
        inner = os.open(name, _FOLDER, dir_fd=descriptor)
        try:
            _empty(inner, mount, depth - 1)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=descriptor)


def _mount_of(descriptor: int) -> str:
    """The id of the mount that an open folder was reached by; binds of one filesystem differ. Raises OSError."""
    for line in Path(f"/proc/self/fdinfo/{descriptor}").read_text().splitlines():
        if line.startswith("mnt_id:"):
            return line
    raise OSError(errno.ENOTSUP, "")
