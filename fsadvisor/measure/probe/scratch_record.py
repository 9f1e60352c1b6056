"""What is kept of each scratch tree, where nobody else writes, and how a tree is taken away again.

A record is a file of the tree's name in the state directory. Its first line tells the directory in which the tree is
about to be made; the second, written before anything is put into the tree, tells the tree. The owner holds a lock on
the file, which the kernel drops with the process, and takes it away once the tree is gone. A line without its end does
not count.

Where a tree is, others may make and rename what they like, so a name is no proof. Who comes next takes away only what
a record names and identifies, whose owner is dead, and in which there is nothing but what probes make: files, and one
level of directories with files, of the names that `scratch`, `own_engine` and `own_worker` give. A tree that nobody had
yet said anything of but its name can only be empty, and is removed only if it is. All else that has such a name is left
alone, and told.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.machine import safe_files
from fsadvisor.machine.inodes import generation_of
from fsadvisor.machine.kept_files import PROBES, user_probes_path
from fsadvisor.machine.port import MachineError
from fsadvisor.measure.probe import processes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self


_MOST_BYTES: Final = 4096
MOST: Final = 64
"""Records that are kept; of more the oldest are dropped whose owner is dead: their filesystem may be gone for good."""


class _Identity(Struct, frozen=True, kw_only=True):
    """A directory, as a line tells it."""

    boot: str
    device: int
    inode: int
    generation: int | None


class Record:
    """The record of one tree, whose lock is held until it is closed."""

    def __init__(self, directory: int, name: str, descriptor: int) -> None:
        self._directory, self._name, self._descriptor = directory, name, descriptor
        self._made_in, self._tree = _lines(os.pread(descriptor, _MOST_BYTES, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._descriptor)
        os.close(self._directory)

    def add(self, directory: int) -> None:
        """Tell an open directory: where the tree is about to be made, and then the tree. Raises OSError."""
        os.lseek(self._descriptor, 0, os.SEEK_END)
        os.write(self._descriptor, msgspec.json.encode(_identity(directory)) + b"\n")
        os.fsync(self._descriptor)
        os.fsync(self._directory)

    def drop(self) -> None:
        """The tree is gone."""
        with contextlib.suppress(OSError):
            os.unlink(self._name, dir_fd=self._directory)

    @property
    def is_filled(self) -> bool:
        """Whether there may be something in the tree."""
        return self._tree is not None

    def is_of(self, directory: int) -> bool:
        """Whether an open directory is the tree."""
        return self._tree is not None and _is(self._tree, directory)

    def is_in(self, directory: int) -> bool:
        """Whether an open directory is the one that the tree was about to be made in."""
        return self._made_in is not None and _is(self._made_in, directory)

    def is_over(self, directory: int) -> bool:
        """Whether the tree is gone for certain, as it is not in that open directory.

        Of two filesystems the first directories may have the same number, which tells them apart until the next boot.
        """
        return self._made_in is None or (self._made_in.boot == processes.boot() and self.is_in(directory))


def new(name: str, directory: int) -> Record | None:
    """A record of a tree that is about to be made in an open directory; None where none can be kept."""
    try:
        record = _locked(name, _opened(make=True), wait=True)  # whoever looks through them has it for a moment
    except (MachineError, OSError):
        return None
    with contextlib.suppress(OSError), contextlib.ExitStack() as failed:  # a signal is heard as it is written, too
        failed.enter_context(record)
        failed.callback(record.drop)
        record.add(directory)
        failed.pop_all()
        return record
    return None


def taken(name: str) -> Record | None:
    """The record of one of `names`; None where it can't be had. Raises BlockingIOError where its owner lives."""
    try:
        return _locked(name, _opened(), wait=False)
    except BlockingIOError:
        raise
    except (MachineError, OSError):
        return None


def is_about(name: str, directory: int) -> bool:
    """Whether the record of one of `names` is of a tree that was made in an open directory, or of none."""
    path = state_directory()
    try:
        made_in, _ = _lines((path / name).read_bytes()) if path else (None, None)
    except OSError:
        return False
    return made_in is None or _is(made_in, directory)


def names() -> tuple[str, ...]:
    """The trees that records are kept of, the newest first."""
    try:
        directory = _opened()
    except (MachineError, OSError):
        return ()
    try:
        with os.scandir(directory) as entries:
            ages = {}
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):  # its owner has just taken it away
                    ages[entry.name] = entry.stat().st_mtime_ns
        return tuple(sorted(ages, key=ages.__getitem__, reverse=True))
    except OSError:
        return ()
    finally:
        os.close(directory)


def state_directory() -> Path | None:
    """Where the records of this user are, None for an ordinary user without a home."""
    results = Path(PROBES) if os.geteuid() == 0 else user_probes_path(os.environ)
    return None if results is None else results.with_name("scratch")


def not_kept() -> str:
    """Why no record can be kept, '' where one can."""
    path = state_directory()
    if path is None:
        return "no record of scratch directories can be kept without a home directory"
    there = next(it for it in (path, *path.parents) if os.access(it, os.F_OK))
    why = safe_files.distrusted(there).removeprefix("not believed, for ")
    if not why and not os.access(there, os.W_OK):
        why = f"{there} can't be written to"
    return why and f"no record of scratch directories can be kept, for {why}"


def _opened(*, make: bool = False) -> int:
    """Raises MachineError where somebody else may write to it, or it is not there; OSError."""
    path = state_directory()
    if path is None:
        raise FileNotFoundError
    mode = 0o755 if os.geteuid() == 0 else 0o700
    return safe_files.directory(path, mode if make else None)


def _locked(name: str, directory: int, *, wait: bool) -> Record:
    try:
        return Record(directory, name, safe_files.locked(directory, name, wait=wait))
    except BaseException:
        os.close(directory)
        raise


def _lines(content: bytes) -> tuple[_Identity | None, _Identity | None]:
    """The two lines, None for what is not there."""
    found: list[_Identity] = []
    with contextlib.suppress(msgspec.MsgspecError):
        found.extend(msgspec.json.decode(line, type=_Identity) for line in content.split(b"\n")[:-1])
    first, second, *_ = *found, None, None
    return first, second


def _identity(directory: int) -> _Identity:
    seen = os.fstat(directory)
    return _Identity(boot=processes.boot(), device=seen.st_dev, inode=seen.st_ino, generation=generation_of(directory))


def _is(kept: _Identity, directory: int) -> bool:
    """Another boot may number devices anew, so that there only inode and generation together tell."""
    now = _identity(directory)
    if kept.boot != now.boot and now.generation is not None:
        now = replace(now, boot=kept.boot, device=kept.device)
    return kept == now


DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = re.compile(r"file-[0-9]{1,9}|log-[0-9]{1,4}|f[0-9]{6,9}|w[0-9]{1,4}-[0-9]{6,9}")
_INNER: Final = re.compile(r"d[0-9]{1,4}")


class ForeignError(Exception):
    """What is there that a probe has not made."""


def remove(above: int, name: str, tree: int) -> None:
    """Take away an open tree and what is in it: all of it, or nothing. Raises ForeignError, OSError.

    All is looked at before the first file goes, and each file once more before it goes. Nobody else may write there.
    Somebody who may rename the tree itself can at worst have an empty directory removed in its place.
    """
    if not _is_at(above, name, tree) or _mount_of(tree) != _mount_of(above):
        raise ForeignError("it is not there any more, or something else is in its place")
    _visit(tree, _mount_of(tree), empties=False)
    _visit(tree, _mount_of(tree), empties=True)
    os.rmdir(name, dir_fd=above)


def _foreign(name: str) -> ForeignError:
    return ForeignError(f"{name} in it was not made by a probe")


def _is_at(above: int, name: str, tree: int) -> bool:
    try:
        return os.path.samestat(os.stat(name, dir_fd=above, follow_symlinks=False), os.fstat(tree))
    except FileNotFoundError:
        return False


def _visit(directory: int, mount: str, *, empties: bool, inner: bool = False) -> None:
    device = os.fstat(directory).st_dev
    for name in _names(directory):
        seen = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if seen.st_uid != os.geteuid() or seen.st_dev != device:
            raise _foreign(name)
        if stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1 and _FILE.fullmatch(name):
            if empties:
                os.unlink(name, dir_fd=directory)  # EBUSY where another file is mounted on it
        elif stat.S_ISDIR(seen.st_mode) and not inner and _INNER.fullmatch(name):
            _visit_inner(directory, name, mount, empties=empties)
        else:
            raise _foreign(name)


def _visit_inner(directory: int, name: str, mount: str, *, empties: bool) -> None:
    descriptor = os.open(name, DIRECTORY, dir_fd=directory)
    try:
        if _mount_of(descriptor) != mount or os.fstat(descriptor).st_uid != os.geteuid():
            raise _foreign(name)
        _visit(descriptor, mount, empties=empties, inner=True)
    finally:
        os.close(descriptor)
    if empties:
        os.rmdir(name, dir_fd=directory)


def _names(directory: int) -> list[str]:
    anew = os.open(".", DIRECTORY, dir_fd=directory)  # Btrfs lists what was there when a directory was opened
    try:
        return os.listdir(anew)  # noqa: PTH208 - an open directory
    finally:
        os.close(anew)


def _mount_of(directory: int) -> str:
    """The id of the mount that an open directory was reached by; binds of one filesystem differ. Raises OSError."""
    for line in Path(f"/proc/self/fdinfo/{directory}").read_text().splitlines():
        if line.startswith("mnt_id:"):
            return line
    raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))


PREFIX: Final = ".fsadvisor-scratch-"


def clear(folder: Path) -> tuple[str, ...]:
    """Take away what probes that were killed left in a folder; one sentence for each tree. Never raises OSError.

    What has such a name and belongs to this user, but is not shown to be a probe's, is told and left alone.
    """
    try:
        real = Path(os.path.realpath(folder))
        above = os.open(real, DIRECTORY)
    except OSError:
        return ()
    try:
        there = [name for name in sorted(os.listdir(above)) if name.startswith(PREFIX)]  # noqa: PTH208 - it is open
        kept = names()  # after that: a record is older than its tree
        oldest = kept[MOST:]
        sentences = [
            _with_record(real / name, above, old=name in oldest)
            for name in kept
            if name in there or name in oldest or is_about(name, above)
        ]
        sentences += [_without_record(real / name, above) for name in there if name not in kept]
        why = not_kept()
        sentences.append(why and f"{why}: a scratch directory that a killed probe leaves here would only be named")
        return tuple(filter(None, sentences))
    except OSError:
        return ()
    finally:
        os.close(above)


def removed(place: Path, above: int, descriptor: int, record: Record | None) -> str:
    """Take away an open tree, and then its record; returns why it stays, or ''."""
    try:
        remove(above, place.name, descriptor)
    except ForeignError as error:
        return f"{place} is left alone: {error}; look into it"
    except OSError as error:
        why = os.strerror(error.errno or 0)
        return f"{place} could not be taken away: {why}; the next probe there tries again"
    if record is not None:
        record.drop()
    return ""


def _with_record(path: Path, above: int, *, old: bool) -> str:
    """What was done with a tree whose owner may be dead."""
    try:
        record = taken(path.name)
    except BlockingIOError:
        return ""  # its owner lives
    if record is None:
        return ""
    with record, _tree(path, above) as descriptor:
        if descriptor is None:
            if old or (record.is_over(above) and not os.path.lexists(path)):
                record.drop()
            return ""
        if not record.is_filled:
            return _removed_if_empty(path, above, record)
        if not record.is_of(descriptor):
            return f"{path} is left alone: it is not the directory that a probe made under that name; look into it"
        return removed(path, above, descriptor, record) or f"took away {path}, left by a killed probe"


def _without_record(place: Path, above: int) -> str:
    """What is said of a directory of ours that has such a name."""
    with _tree(place, above) as descriptor:
        return "" if descriptor is None else f"{place} is left alone: no record says that a probe made it; look into it"


@contextlib.contextmanager
def _tree(place: Path, above: int) -> Iterator[int | None]:
    """A directory of this user that nobody uses as a tree; None where there is none."""
    try:
        descriptor = os.open(place.name, DIRECTORY, dir_fd=above)
    except OSError:  # gone; or a link, or a file
        yield None
        return
    try:
        yield descriptor if os.fstat(descriptor).st_uid == os.geteuid() and lock_tree(descriptor) is not False else None
    finally:
        os.close(descriptor)


def _removed_if_empty(place: Path, above: int, record: Record) -> str:
    """Of a tree whose maker was killed before it had put anything into it."""
    if not record.is_in(above):
        return f"{place} is left alone: a probe made that name in another directory; look into it"
    try:
        os.rmdir(place.name, dir_fd=above)
    except OSError as error:
        return f"{place} is left alone: no probe put anything into it ({os.strerror(error.errno or 0)}); look into it"
    record.drop()
    return f"took away {place}, left by a killed probe"


def lock_tree(descriptor: int) -> bool | None:
    """Hold the lock that workers inherit; False where another has it, None where there are no locks.

    Nobody else can open a tree of ours. A worker that hangs in the kernel may outlive the owner, and writes on.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
