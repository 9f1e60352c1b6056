"""How far a survey is, and what there is by name, told early: a big machine is surveyed for many seconds."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.readers import mount_tables
from fsadvisor.survey import block, read_fact
from fsadvisor.survey.filesystem_types import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from fsadvisor.machine.port import Machine

T = TypeVar("T")


class Progress(Struct, frozen=True):
    """So many of so many, of 'drives' or 'filesystems', are read."""

    what: str
    done: int
    of: int


_LISTENER: ContextVar[Callable[[Progress], object] | None] = ContextVar("listener", default=None)


@contextmanager
def reporting_to(on_progress: Callable[[Progress], object]) -> Iterator[None]:
    """While it lasts, the progress of this thread's survey goes to the listener."""
    token = _LISTENER.set(on_progress)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def each(what: str, items: Collection[T]) -> Iterator[T]:
    """The items; the listener hears of each that is done."""
    on_progress = _LISTENER.get()
    for number, item in enumerate(items, 1):
        yield item
        if on_progress is not None:
            on_progress(Progress(what, number, len(items)))


class Glimpse(Struct, frozen=True):
    """Mount points, each with its type of filesystem, and names of whole disks: either may be more in the survey."""

    mounts: tuple[tuple[str, str], ...]
    drives: tuple[str, ...]


def glimpse(machine: Machine) -> Glimpse:
    """Two questions to the kernel; what it does not answer is told by the survey."""
    table = read_fact.file_record(machine, "/proc/self/mountinfo", mount_tables.parse_mountinfo)
    mounts = () if isinstance(table, Unknown) else registry.visible_mounts(table.mounts)
    names = machine.entries("/sys/block")
    drives = () if isinstance(names, Unknown) else tuple(one for one in names if block.may_be_drive(one))
    return Glimpse(tuple((one.mount_point, one.fs_type) for one in mounts), drives)
