"""Files that are written for somebody, and files that are believed: only where nobody else may change them.

As ssh and sudo do, a path is looked at from the root down: each directory, each symbolic link and the file itself
belongs to root or to who runs this, and nobody else may write to it. A sticky directory such as /tmp may be
everybody's, for what belongs to us there can neither be renamed nor removed by others. What was looked at is what is
used: each step is taken from an open directory and follows no link by itself.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import grp
import os
import pwd
import re
import stat
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from fsadvisor.machine.port import MachineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PRIVATE: Final = 0o600
"""The mode of what may tell something that only its owner may read."""
PUBLIC: Final = 0o644

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_STEP: Final = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_LINKS: Final = 40
_TEMPORARY: Final = ".fsadvisor-"
"""Within the names of files that are still being written: nobody else's backup is called so."""


class _OthersError(Exception):
    """Who else may change something on the path."""


def write_new(path: Path, content: bytes, mode: int = PRIVATE) -> None:
    """Make a file; what is there already is never written over. Raises MachineError."""
    with _explained(path, "name another"), _opened(path.parent) as directory:
        _make(directory, path.name, content, mode)


def write_among(path: Path, content: bytes, kind: re.Pattern[str], most: int) -> None:
    """Make a file among our own whose names fit `kind`: the first by name are removed until all have `most` bytes.

    Raises MachineError.
    """
    with _explained(path, "name another"), _opened(path.parent) as directory:
        ours = _ours(directory, kind)
        more = sum(ours.values()) + len(content) - most
        for name, size in ours.items():
            if more > 0:
                os.unlink(name, dir_fd=directory)
            more -= size
        _make(directory, path.name, content, PRIVATE)


def may_be_new(path: Path) -> None:
    """Raises MachineError where `write_new` would: asked before what takes an hour."""
    with _explained(path, "name another"), _opened(path.parent) as directory:
        if path.name in os.listdir(directory):  # noqa: PTH208 - an open directory
            raise FileExistsError


def write_tree(path: Path, files: Iterable[tuple[str, bytes, int]]) -> None:
    """Make files, each with its path below and its mode, in a new or empty directory: all of them, or none.

    Where all of them are for their owner alone, so are the directories. Raises MachineError.
    """
    files, is_new = tuple(files), not os.path.lexists(path)
    make = 0o755 if any(mode & 0o077 for _, _, mode in files) else 0o700
    choice = "name a new or an empty directory that can be written"
    with _explained(path, choice), _opened(path, make=make, sticky=False) as directory:
        if os.listdir(directory):  # noqa: PTH208 - an open directory
            raise MachineError(str(path), "the directory is not empty", "name a new or an empty one")
        try:
            for below, content, mode in files:
                *above, name = below.split("/")
                with _below(directory, above, make) as inner:
                    _make(inner, name, content, mode)
        except BaseException:
            _unmake(directory, (below for below, _, _ in files))
            with contextlib.suppress(OSError):
                if is_new:
                    path.rmdir()
            raise


def rewrite(
    path: Path,
    change: Callable[[bytes], bytes],
    most: int,
    mode: int,
    choice: str = "name another",
    *,
    make: int = 0o755,
) -> None:
    """Put a changed content in the place of what there is, b'' where there is none; a link to the file stays one.

    Whoever reads sees the old or the new one, and a crash leaves one of them: it is written anew beside itself and
    renamed. Writers wait for each other. Directories that are not there are made with the mode `make`. Raises
    MachineError, and what `change` raises.
    """
    with _explained(path, choice):
        with contextlib.suppress(FileNotFoundError):
            step, path = _reached(path)
            os.close(step)
        with _opened(path.parent, make=make) as directory, _locked(directory, f".{path.name}.lock"):
            _replace(directory, path.name, change(read(path, most, choice) or b""), mode)
            os.fsync(directory)


def read(path: Path, most: int, choice: str = "name another") -> bytes | None:
    """What is in a regular file that nobody else may change, None where there is none. Raises MachineError."""
    with _explained(path, choice):
        try:
            step, _ = _reached(path)
        except FileNotFoundError:
            return None
        try:
            if not stat.S_ISREG((seen := os.fstat(step)).st_mode):
                raise MachineError(str(path), "not a regular file", choice)
            with open(f"/proc/self/fd/{step}", "rb") as opened:  # noqa: PTH123 - the very file that was looked at
                content = opened.read(most + 1) if seen.st_size else b""  # /proc/kmsg would be waited for
        finally:
            os.close(step)
        if len(content) > most:
            raise MachineError(str(path), f"more than {most >> 20} MiB", choice)
        return content


def distrusted(path: Path) -> str:
    """Why what a file or directory says is not believed; '' where it is, where none is, and where it can't be read."""
    try:
        step, _ = _reached(path)
    except _OthersError as error:
        return f"not believed, for {error}" if os.path.exists(path) else ""  # noqa: PTH110 - of any name
    except (OSError, ValueError):
        return ""
    os.close(step)
    return ""


def directory(path: Path, make: int | None = None) -> int:
    """An open directory that nobody else may change, made where it is not there with the mode `make`.

    Raises MachineError.
    """
    with _explained(path, "name another"), _opened(path, make=make, sticky=False) as opened:
        return os.dup(opened)


def locked(directory: int, name: str, *, wait: bool) -> int:
    """The descriptor of a file in a directory that nobody else may change, made where it is not there, and locked.

    It is a file that nobody else may open: everybody may lock a directory that can be read, and for ever. Whoever has
    it may take it away before it is closed. Raises OSError, BlockingIOError where another has it and nobody waits.
    """
    while True:
        held = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE, dir_fd=directory)
        try:
            _see_that_it_is_private(name, os.fstat(held))
            fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            if _is_at(held, name, directory):
                return held
        except BaseException as error:
            os.close(held)
            if isinstance(error, OSError) and not isinstance(error, BlockingIOError):  # there are no locks
                os.unlink(name, dir_fd=directory)
            raise
        os.close(held)  # whoever had it before us took it away


def _see_that_it_is_private(name: str, seen: os.stat_result) -> None:
    """In a sticky directory anybody may have made it before us, or linked a file there that anybody may lock."""
    if who := _others(seen):
        raise _OthersError(f"{name} beside it {who}")
    if seen.st_mode & 0o077:
        raise _OthersError(f"{name} beside it may be locked by others")


@contextlib.contextmanager
def _explained(path: Path, choice: str) -> Iterator[None]:
    """What goes wrong, as one sentence for people."""
    try:
        yield
    except _OthersError as error:
        raise MachineError(str(path), str(error), f"name a place that nobody else may change{_such_as(path)}") from None
    except FileExistsError:
        raise MachineError(str(path), "is there already, and is left as it is", "name another") from None
    except (OSError, ValueError) as error:
        number, why = (error.errno, error.strerror) if isinstance(error, OSError) else (None, None)
        learn = "free some space there" if number in (errno.ENOSPC, errno.EDQUOT) else choice
        raise MachineError(str(path), why or "can't be written", learn) from error


def _such_as(path: Path) -> str:
    """The same name at home, where that is safe."""
    with contextlib.suppress(KeyError, OSError, ValueError, _OthersError):
        step, home = _reached(Path(pwd.getpwuid(os.geteuid()).pw_dir))
        os.close(step)
        return f", such as {home / path.name}"
    return ""


def _reached(path: Path, *, make: int | None = None) -> tuple[int, Path]:
    """The end of a path, opened to be looked at, and its path without links.

    Directories that are not there are made with the mode `make`. Raises OSError, ValueError and _OthersError.
    """
    left = [*reversed(path.absolute().parts)]
    folder, where, links = os.open("/", _STEP), Path("/"), 0
    try:
        while left:
            name = left.pop()
            there = where.parent if name == ".." else where / name
            inner = os.open("/", _STEP) if name == "/" else _entered(folder, name, make)
            try:
                seen = os.fstat(inner)
                if who := _others(seen):
                    raise _OthersError(f"{there} {who}")
                if stat.S_ISLNK(seen.st_mode):
                    links += 1
                    if links > _MOST_LINKS:
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                    left += reversed(Path(os.readlink("", dir_fd=inner)).parts)
                else:
                    folder, inner, where = inner, folder, there
            finally:
                os.close(inner)
    except BaseException:
        os.close(folder)
        raise
    return folder, where


def _entered(folder: int, name: str, make: int | None) -> int:
    """What has a name in an open directory: itself, and not what it leads to."""
    try:
        return os.open(name, _STEP | os.O_DIRECTORY, dir_fd=folder)  # so asked, an automounter mounts
    except NotADirectoryError:
        return os.open(name, _STEP, dir_fd=folder)
    except FileNotFoundError:
        if make is None:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, make, dir_fd=folder)
    return os.open(name, _STEP | os.O_DIRECTORY, dir_fd=folder)


def _others(seen: os.stat_result, *, sticky: bool = True) -> str:
    """Who else may change it, '' for nobody; `sticky` counts where what is in a directory belongs to us."""
    if seen.st_uid not in (0, os.geteuid()):
        return f"belongs to {_named(seen.st_uid, pwd.getpwuid)}"
    if stat.S_ISLNK(seen.st_mode) or (sticky and stat.S_ISDIR(seen.st_mode) and seen.st_mode & stat.S_ISVTX):
        return ""
    if seen.st_mode & stat.S_IWOTH:
        return "may be changed by everybody"
    if seen.st_mode & stat.S_IWGRP and not _is_own_group(seen.st_gid):
        return f"may be changed by the group {_named(seen.st_gid, grp.getgrgid)}"
    return ""


def _is_own_group(number: int) -> bool:
    """Whether it is the group that an ordinary user is alone in, which many systems let write by default."""
    if os.geteuid() == 0:
        return False
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def _named(number: int, known: Callable[[int], tuple[object, ...]]) -> str:
    try:
        return str(known(number)[0])
    except KeyError:
        return str(number)


@contextlib.contextmanager
def _opened(path: Path, *, make: int | None = None, sticky: bool = True) -> Iterator[int]:
    """The directory at the end of a path. Raises OSError, ValueError and _OthersError."""
    step, where = _reached(path, make=make)
    try:
        if who := _others(os.fstat(step), sticky=sticky):
            raise _OthersError(f"{where} {who}")
        directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=step)
    finally:
        os.close(step)
    try:
        yield directory
    finally:
        os.close(directory)


@contextlib.contextmanager
def _below(directory: int, names: Iterable[str], make: int) -> Iterator[int]:
    """A directory below an open one, made where it is not there; no link is followed."""
    folder = os.dup(directory)
    try:
        for name in names:
            inner = _entered(folder, name, make)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _unmake(directory: int, files: Iterable[str]) -> None:
    """Take away what there is of files, and the directories above them that are empty then."""
    for path in map(PurePath, files):
        for below in (path, *path.parents[:-1]):
            with contextlib.suppress(OSError):
                (os.unlink if below is path else os.rmdir)(below, dir_fd=directory)


def _make(directory: int, name: str, content: bytes, mode: int) -> None:
    """What was begun and failed is taken away again, unless the name leads elsewhere by then."""
    descriptor = os.open(name, _NEW, PRIVATE, dir_fd=directory)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as opened:
            opened.write(content)
        os.fchmod(descriptor, mode)
    except BaseException:
        with contextlib.suppress(OSError):
            if _is_at(descriptor, name, directory):
                os.unlink(name, dir_fd=directory)
        raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _locked(directory: int, name: str) -> Iterator[None]:
    """Wait for other writers."""
    held = locked(directory, name, wait=True)
    try:
        yield
    finally:
        os.unlink(name, dir_fd=directory)
        os.close(held)


def _ours(directory: int, kind: re.Pattern[str]) -> dict[str, int]:
    """The sizes of our regular files whose names fit, in the order of names."""
    names = sorted(filter(kind.fullmatch, os.listdir(directory)))
    found = ((name, os.stat(name, dir_fd=directory, follow_symlinks=False)) for name in names)
    return {name: it.st_size for name, it in found if stat.S_ISREG(it.st_mode) and it.st_uid == os.geteuid()}


def _is_at(descriptor: int, name: str, directory: int) -> bool:
    """Whether a name in a directory is that of an open file."""
    try:
        return os.path.samestat(os.stat(name, dir_fd=directory, follow_symlinks=False), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _replace(directory: int, name: str, content: bytes, mode: int) -> None:
    """In the directory whose lock is held; what a writer of ours left that was killed is taken away."""
    left = re.compile(rf"\.{re.escape(name)}{re.escape(_TEMPORARY)}[0-9a-f]{{8}}")
    with contextlib.suppress(OSError):
        for other in _ours(directory, left):
            os.unlink(other, dir_fd=directory)
    temporary = f".{name}{_TEMPORARY}{os.urandom(4).hex()}"
    descriptor = os.open(temporary, _NEW, PRIVATE, dir_fd=directory)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            os.fchmod(opened.fileno(), mode)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=directory)
        raise


def bytes_of(file: Path, most: int) -> bytes | None:
    """What a file of the program's own begins with; None where it is no regular file. Raises OSError.

    For the hundreds of each start: pathlib and io take three times as long.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        about = os.fstat(descriptor)
        return os.read(descriptor, min(about.st_size + 1, most)) if stat.S_ISREG(about.st_mode) else None
    finally:
        os.close(descriptor)
