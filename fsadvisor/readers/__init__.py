"""Readers: one module per source, or per family of related ones, named after it.

Each has `parse(text: str) -> Record | Unknown`, or a `parse_SOURCE` for each of several: pure, total (any text gives a
record or `Unknown(unreadable)`, never an exception). The docstring says which path or argv it reads, the tool's
version that it was written against, a short sample and the documentation. A record is a frozen Struct; a field that
the source did not give is None. Where somebody asks for it, `unread` holds what was not understood. Outputs are in
fixtures/outputs/SOURCE.

What they share stands here: numbers in text, each conversion None where there is none; the pieces that were not
understood; and why a text is refused. A tool's own complaint where its output was expected is such a reason: who reads
for values must not take it for one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from fsadvisor.facts import Cause, Unknown, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

UNREAD_PIECES = 8
UNREAD_LENGTH = 120

_END = 1 << 128
"""NVMe drives count in 128 bits; kernels and tools in 64."""

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50, "e": 1 << 60}


def whole(text: str | None, base: int = 10) -> int | None:
    """A whole number of up to 128 bits (ASCII digits, optional sign; base 0 takes 0x), or None."""
    if text is None or len(text) > 80 or not text.isascii() or "_" in text:
        return None
    try:
        number = int(text.strip(), base)
    except ValueError:
        return None
    return number if -_END < number < _END else None


def count(text: str | None) -> int | None:
    """A whole number from 0 on, or None."""
    number = whole(text)
    return number if number is not None and number >= 0 else None


def within(number: int) -> int | None:
    """The number where any drive or tool can count to it, else None: what is not bounded breaks arithmetic later."""
    return number if -_END < number < _END else None


def real(text: str | None) -> float | None:
    """A finite decimal number, or None."""
    if text is None or len(text) > 80 or not text.isascii() or "_" in text:
        return None
    try:
        number = float(text.strip())
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def size_bytes(text: str | None) -> int | None:
    """A size as tools print it ('10.00GiB', '4k', '512'), binary units, in bytes, or None."""
    exact = whole(text)
    if exact is not None:
        return exact
    stripped = (text or "").strip().lower()
    number = stripped.rstrip("ibkmgtpe").rstrip()
    unit = stripped[len(number) :].strip().removesuffix("b").removesuffix("i")
    exact = whole(number)
    amount = real(number) if exact is None else exact
    if amount is None or abs(amount) > _END or unit not in _UNITS:
        return None
    return within(round(amount * _UNITS[unit]) if exact is None else exact * _UNITS[unit])


def counts(text: str, mark: str) -> dict[str, int]:
    """The numbers from 0 on of lines of a name, `mark` and a number."""
    found = {}
    for line in text.split("\n"):
        name, _, value = line.partition(mark)
        if (number := count(value)) is not None:
            found[name] = number
    return found


def read_lines(text: str, read: Callable[[str], T | None]) -> tuple[tuple[T, ...], list[str]]:
    """What `read` makes of each line, and the lines of which it makes nothing (blank ones aside).

    Lines are cut at newlines only: a form feed or U+2028 in a path ends no line.
    """
    found: list[T] = []
    unread: list[str] = []
    for line in text.split("\n"):
        made = read(line)
        if made is not None:
            found.append(made)
        elif line.strip():
            unread.append(line)
    return tuple(found), unread


def unread_pieces(pieces: list[str]) -> tuple[str, ...]:
    """The first few pieces that a reader did not understand, each cut to a bounded length."""
    return tuple(piece[:UNREAD_LENGTH] for piece in pieces[:UNREAD_PIECES])


_LOOKED_AT = 4000

_DENIED = (
    "permission denied",
    "operation not permitted",
    "must be root",
    "must be run as root",
    "run as root",
    "only root can",
    "are you root",
    "superuser",
)
_NOT_EXPOSED = (
    "no such file or directory",
    "no such device",
    "no such pool",
    "operation not supported",
    "inappropriate ioctl",
    "function not implemented",
    "modules are not loaded",
    "modules cannot be auto-loaded",
    "module cannot be loaded",
    "dataset does not exist",
    "device-mapper is available",
)
_DID_NOT_START = (
    "error while loading shared libraries",
    "error loading shared library",
    "error relocating",
    "symbol lookup error",
    "(required by ",
    "exec format error",
    "failed to run command",
)
"""The words of the loaders of glibc and musl, of shells and of timeout(1)."""
REINSTALL = "reinstall the tool: it does not start"


def complaint(text: str) -> Unknown | None:
    """What is wrong, in the C locale's words; None where `text` doesn't say.

    The tool did not start (before all else: its loader says "No such file", too), access was denied, nothing is there.
    """
    excerpt = text[:_LOOKED_AT].lower()
    if any(phrase in excerpt for phrase in _DID_NOT_START):
        return Unknown(Cause.UNREADABLE, REINSTALL)
    if any(phrase in excerpt for phrase in _DENIED):
        return Unknown(Cause.DENIED, "run fsadvisor as root")
    if any(phrase in excerpt for phrase in _NOT_EXPOSED):
        return Unknown(Cause.NOT_EXPOSED, "look at whether the device or the kernel module is there")
    return None


def refusal(text: str, what: str) -> Unknown:
    """Why `text` holds no record: what it complains of, else that it was not understood (`what`)."""
    return complaint(text) or unreadable(what)
