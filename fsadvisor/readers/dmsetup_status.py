"""Which paths of multipath devices work, as `dmsetup status` prints it. Needs root.

Written against libdevmapper 1.02.185 and Linux 6.1 (drivers/md/dm-mpath.c, multipath_status): features, handler,
groups, and in each group its state, what its selector says, and the paths with their state, failures and selector's
words.

    mpatha: 0 1048576 multipath 2 0 0 0 1 1 A 0 2 2 8:0 F 1 0 1 8:16 A 0 0 1

https://docs.kernel.org/admin-guide/device-mapper/index.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.facts import Unknown
    from fsadvisor.machine.port import Argv

ARGV: Argv = ("dmsetup", "status", "--noflush", "--target", "multipath")

_LINE = re.compile(r"(.+): \d+ \d+ multipath (.+)")
_NO_DEVICES = "No devices found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A path."""

    device: str
    """major:minor."""
    state: Literal["active", "failed"]
    failures: int | None
    """How often it failed since the table was loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Multipath:
    """A multipath device."""

    name: str
    """As in /dev/mapper, where the tool does not mangle it."""
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DmsetupStatus:
    """The multipath devices in order; () where there are none."""

    devices: tuple[Multipath, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> DmsetupStatus | Unknown:
    """Read one device a line; a line of another form than expected is kept out whole."""
    devices, unread = [], []
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        paths = None if match is None else _paths(match[2].split())
        if match is not None and paths is not None:
            devices.append(Multipath(name=match[1], paths=paths))
        elif match is not None:
            unread.append(f"{match[1]}: its status")
        elif line.strip() and line.strip() != _NO_DEVICES:
            unread.append("a line of another form")
    if unread and not devices:
        return refusal(text, "no status of multipath devices in the output")
    return DmsetupStatus(devices=tuple(devices), unread=unread_pieces(unread))


def _paths(words: list[str]) -> tuple[Path, ...] | None:
    """The paths of all groups, None where the words do not add up."""
    left = iter(words)
    try:
        _skip(left, _number(left))
        _skip(left, _number(left))
        groups = _number(left)
        _skip(left, 1)
        found = [path for _ in range(groups) for path in _group(left)]
    except (StopIteration, ValueError):
        return None
    return tuple(found) if next(left, None) is None else None


def _group(left: Iterator[str]) -> list[Path]:
    _skip(left, 1)
    _skip(left, _number(left))
    count, more = _number(left), _number(left)
    return [_path(left, more) for _ in range(count)]


def _path(left: Iterator[str], more: int) -> Path:
    device, letter, failures = next(left), next(left), next(left)
    if letter not in ("A", "F"):
        raise ValueError(letter)
    _skip(left, more)
    return Path(device=device, state="active" if letter == "A" else "failed", failures=whole(failures))


def _number(left: Iterator[str]) -> int:
    number = whole(next(left))
    if number is None or not 0 <= number <= 4096:
        raise ValueError
    return number


def _skip(left: Iterator[str], count: int) -> None:
    for _ in range(count):
        next(left)
