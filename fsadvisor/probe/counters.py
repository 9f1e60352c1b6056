"""The kernel's counters of this moment, read by our readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Record = TypeVar("_Record")


def record(path: str, parse: Callable[[str], _Record]) -> _Record | None:
    """What a reader makes of a file of the kernel's; None where it cannot be read."""
    try:
        with open(path, encoding="ascii") as file:  # noqa: PTH123 - the kernel's own path
            return parse(file.read())
    except OSError:
        return None
