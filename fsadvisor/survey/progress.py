"""How far a survey is, for whoever watches: told from inside its stages, which know nothing of who listens."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

T = TypeVar("T")


class Progress(Struct, frozen=True):
    """So many of so many, of 'drives' or 'filesystems', are read."""

    what: str
    done: int
    of: int


_HEARD: ContextVar[Callable[[Progress], object] | None] = ContextVar("heard", default=None)


@contextmanager
def heard_by(hear: Callable[[Progress], object]) -> Iterator[None]:
    """While it lasts, what this thread surveys is told."""
    token = _HEARD.set(hear)
    try:
        yield
    finally:
        _HEARD.reset(token)


def each(what: str, items: Collection[T]) -> Iterator[T]:
    """The items, and a word of each that is done."""
    hear = _HEARD.get()
    for at, one in enumerate(items, 1):
        yield one
        if hear is not None:
            hear(Progress(what, at, len(items)))
