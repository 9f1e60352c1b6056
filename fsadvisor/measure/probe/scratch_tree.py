"""The one directory with a name that a probe makes, `.fsadvisor-scratch-<random>` in the directory that it measures.

Where that is, others may make and rename what they like, so a name is no proof. Before the tree is made, and again once
it is, a record of it is kept where nobody else writes (`scratch_record`). Who comes next takes away only what a record
names and identifies, whose owner is dead, and in which there is nothing but what probes make (`scratch_contents`).
A tree that nobody had yet said anything of but its name can only be empty, and is removed only if it is. All else that
has such a name is left alone, and told.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.probe import scratch_record
from fsadvisor.measure.probe.engine import EngineError, explained
from fsadvisor.measure.probe.scratch_record import DIRECTORY, ForeignError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.probe.scratch_record import Record

PREFIX: Final = ".fsadvisor-scratch-"
_HELD: Final[dict[Path, int]] = {}
"""The trees that this process has at the moment, with their descriptors."""


@contextlib.contextmanager
def tree(folder: Path) -> Iterator[Path]:
    """Make a tree, for as long as the block; then it is taken away. Raises EngineError.

    Within the block it may be asked for again: that is the same tree.
    """
    real = Path(os.path.realpath(folder))
    held = next((place for place in _HELD if place.parent == real), None)
    if held is not None:
        yield held
        return
    place = real / f"{PREFIX}{secrets.token_hex(8)}"
    with contextlib.ExitStack() as stack:
        above = _opened(place, stack)
        record = scratch_record.new(place.name, above)
        if record is not None:
            stack.enter_context(record)
        descriptor = _made(place, above, record)
        stack.callback(os.close, descriptor)
        _HELD[place] = descriptor
        try:
            yield place
        except EngineError as error:
            why = _removed(place, above, descriptor, record)
            if why:
                raise EngineError(f"{error}; {why}") from error
            raise
        except BaseException:
            _removed(place, above, descriptor, record)
            raise
        else:
            why = _removed(place, above, descriptor, record)
            if why:
                raise EngineError(why)
        finally:
            del _HELD[place]


def descriptor_of(place: Path) -> int:
    """The descriptor by which to write into a tree of this process: its name may be moved to something else."""
    return _HELD[place]


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
        kept = scratch_record.names()  # after that: a record is older than its tree
        oldest = kept[scratch_record.MOST :]
        said = [
            _with_record(real / name, above, old=name in oldest)
            for name in kept
            if name in there or name in oldest or scratch_record.is_about(name, above)
        ]
        said += [_without_record(real / name, above) for name in there if name not in kept]
        why = scratch_record.not_kept()
        said.append(why and f"{why}: a scratch directory that a killed probe leaves here would only be named")
        return tuple(filter(None, said))
    except OSError:
        return ()
    finally:
        os.close(above)


def _opened(place: Path, stack: contextlib.ExitStack) -> int:
    with explained(f"making the scratch directory {place}"):
        above = os.open(place.parent, DIRECTORY)
    stack.callback(os.close, above)
    return above


def _made(place: Path, above: int, record: Record | None) -> int:
    """Make the tree, open and lock it; where that fails, or somebody stops us meanwhile, nothing of ours stays."""
    descriptor = -1
    with explained(f"making the scratch directory {place}"):
        try:
            os.mkdir(place.name, 0o700, dir_fd=above)
            descriptor = os.open(place.name, DIRECTORY, dir_fd=above)
            if why := _not_ours(descriptor):
                raise EngineError(f"{place} is not used: {why}")
            _lock(descriptor)
            if record is not None:
                with contextlib.suppress(OSError):  # no room there: what a kill leaves will be told, and stay
                    record.add(descriptor)
        except BaseException as error:  # a signal is heard as mkdir returns, too
            if descriptor >= 0:
                os.close(descriptor)
            if not isinstance(error, FileExistsError):
                _unmade(place, above)
            if record is not None:
                record.drop()
            raise
    return descriptor


def _unmade(place: Path, above: int) -> None:
    with contextlib.suppress(OSError):
        if os.stat(place.name, dir_fd=above, follow_symlinks=False).st_uid == os.geteuid():
            os.rmdir(place.name, dir_fd=above)


def _not_ours(descriptor: int) -> str:
    """Why an open directory is not the empty one that we have just made, ''."""
    if os.fstat(descriptor).st_uid != os.geteuid():
        return "it belongs to another user, though we have just made it; run as the owner of the filesystem's files"
    return "it is not empty, though we have just made it" if os.listdir(descriptor) else ""


def _removed(place: Path, above: int, descriptor: int, record: Record | None) -> str:
    """Take away an open tree, and then its record; returns why it stays, or ''."""
    try:
        scratch_record.remove(above, place.name, descriptor)
    except ForeignError as error:
        return f"{place} is left alone: {error}; look into it"
    except OSError as error:
        why = os.strerror(error.errno or 0)
        return f"{place} could not be taken away: {why}; the next probe there tries again"
    if record is not None:
        record.drop()
    return ""


def _with_record(place: Path, above: int, *, old: bool) -> str:
    """What was done with a tree whose owner may be dead."""
    try:
        record = scratch_record.taken(place.name)
    except BlockingIOError:
        return ""  # its owner lives
    if record is None:
        return ""
    with record, _tree(place, above) as descriptor:
        if descriptor is None:
            if old or (record.is_over(above) and not os.path.lexists(place)):
                record.drop()
            return ""
        if not record.is_filled:
            return _removed_if_empty(place, above, record)
        if not record.is_of(descriptor):
            return f"{place} is left alone: it is not the directory that a probe made under that name; look into it"
        return _removed(place, above, descriptor, record) or f"took away {place}, left by a killed probe"


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
        yield descriptor if os.fstat(descriptor).st_uid == os.geteuid() and _lock(descriptor) is not False else None
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


def _lock(descriptor: int) -> bool | None:
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
