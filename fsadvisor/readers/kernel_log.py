"""The kernel's log, `dmesg`: what it tells of storage in trouble, by the patterns of kernel_log.toml.

Written against util-linux 2.38 and kernels 4.4 to 6.12. A line has the seconds since boot, then what was said:

    [ 5012.400712] ata3.00: failed command: WRITE FPDMA QUEUED

https://man7.org/linux/man-pages/man1/dmesg.1.html

Its ring is small, and on a chatty server loses the beginning. `journalctl -k` has the same lines of this boot, longer:

    [ 5012.400712] kernel: ata3.00: failed command: WRITE FPDMA QUEUED

https://man7.org/linux/man-pages/man1/journalctl.1.html
"""

from __future__ import annotations

import re
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Unknown
from fsadvisor.own_tables import own_table
from fsadvisor.patterns import LatePattern, in_one_line, late
from fsadvisor.readers import refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ARGV: Final = ("dmesg",)
JOURNAL_ARGV: Final = (
    *("journalctl", "-k", "-b", "--no-pager", "--quiet", "--no-hostname"),
    *("--output=short-monotonic", "--lines=30000"),
)

Class: TypeAlias = Literal[
    "io",
    "link",
    "space",
    "filesystem",
    "filesystem-note",
    "read-only",
    "hung",
    "attached",
    "unnamed",
    "left-out",
    "began",
    "info",
    "mounted",
]

_LINE: Final = late(r"(?:<\d{1,3}>)?\[ *(\d{1,12}\.\d{1,9})\] (?:kernel: )?(?:\[ *[TC]\d{1,10}\] )?(.*)", re.ASCII)
_LONGEST: Final = 400
_MOST_LINES: Final = 100_000
"""The newest; the log's buffer rarely has as many."""
_PART: Final = late(r"(?:\d+)?(?:-\d+)?", re.ASCII)
_PART_AFTER_DIGIT: Final = late(r"(?:p\d+)?(?:-\d+)?", re.ASCII)
"""What follows a disk's name in those of its partitions and its journal."""


_PLACE: Final = late(r"\d+,\d+,\d+,\d+", re.ASCII)


class Pattern(Struct, frozen=True, kw_only=True):
    """One row."""

    id: str
    kind: Class
    match: LatePattern
    words: tuple[str, ...]
    """A line that fits holds one of them."""
    says: str
    source: str
    examples: tuple[str, ...]
    over: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()


class Event(Struct, frozen=True, kw_only=True):
    """All lines of a pattern about one device; times in seconds since boot."""

    pattern: str
    kind: Class
    says: str
    device: str
    """As the line names it: sda, ata3, nvme0, 3:0:0:0, 0000:01:00.0, md0; '' where it names none."""
    count: int
    first: float
    last: float
    doubtful: bool = False
    """Perhaps of the loop device that had the name before: since then, lines of attached ones were lost."""


class KernelLog(Struct, frozen=True, kw_only=True, dict=True):
    """What the log tells of storage; `since` is the time of its oldest line that is still there."""

    since: float
    events: tuple[Event, ...]
    source: str = "dmesg"

    @cached_property
    def by_device(self) -> Mapping[str, list[tuple[int, Event]]]:
        """The events with their places, by the device that they name; jbd2's sda2-8 stands at sda2, too."""
        found: dict[str, list[tuple[int, Event]]] = {}
        for number, event in enumerate(self.events):
            found.setdefault(event.device, []).append((number, event))
            if filesystem := event.device.rpartition("-")[0]:
                found.setdefault(filesystem, []).append((number, event))
        return found

    def about(self, names: Iterable[str]) -> list[Event]:
        """Those that may be about devices of these names, in the log's order."""
        found = {place: event for name in names for place, event in self.by_device.get(name, ())}
        return [found[place] for place in sorted(found)]


def least(left_out: int) -> str:
    """What a count of lines about one device is worth where the log left some out: its limit is one for all devices."""
    return f"at least: the log left out {left_out:,} more, of this or of other devices"


def oldest(text: str) -> float | Unknown:
    """When the oldest line that is still there was said, in seconds since boot; the others are not read."""
    if not text.endswith("\n"):
        return refusal(text, "the kernel's log is cut short")
    first = next(_lines(text), None)
    return float(first[1]) if first else refusal(text, "no line of the kernel's log")


def _lines(text: str) -> Iterator[re.Match[str]]:
    return (match for line in in_one_line(text).split("\n")[-_MOST_LINES:] if (match := _LINE.match(line[:_LONGEST])))


def parse(text: str) -> KernelLog | Unknown:
    """Read what dmesg printed; what does not end a line is cut short.

    A line ends at a line feed alone. Any user may have the kernel log a carriage return, as the option of a mount that
    fails; dmesg prints it as it is, and puts blanks before what follows a line feed within a message.
    """
    since = oldest(text)
    if isinstance(since, Unknown):
        return since
    events: dict[tuple[str, str], Event] = {}
    for line in _lines(text):
        if known := _matched(line[2]):
            pattern, device, many = known
            if pattern.kind == "attached":
                _forget(events, device)
                _forget(events, _place_of(line[2]))
                continue
            if pattern.kind == "unnamed":
                _doubt(events)
                continue
            moment = float(line[1])
            old = events.get((pattern.id, device))
            old = None if old and old.doubtful else old
            events[pattern.id, device] = Event(
                pattern=pattern.id,
                kind=pattern.kind,
                says=pattern.says,
                device=device,
                count=old.count + many if old else many,
                first=min(old.first, moment) if old else moment,
                last=max(old.last, moment) if old else moment,
            )
    return KernelLog(since=since, events=tuple(_without_echoes(events)))


@lru_cache(maxsize=4096)
def _matched(message: str) -> tuple[Pattern, str, int] | None:
    """The pattern of a line, the first that fits, the device, and for how many it stands.

    The log is read again and again by who watches.
    """
    for pattern in _beginning(message[:1]):
        if any(map(message.__contains__, pattern.words)) and (match := pattern.match.match(message)):
            groups = match.groupdict()
            device = groups.get("device") or groups.get("device2") or ""
            device = device.replace(",", ":") if _PLACE.fullmatch(device) else device  # aacraid's way to say 0:1:4:0
            return pattern, device.removeprefix("/dev/"), int(groups.get("count") or 1)
    return None


def _place_of(attached: str) -> str:
    """'3:0:0:0' of 'sd 3:0:0:0: [sdb] Attached SCSI disk': lines without a name say that; '' of a loop device."""
    return attached.split(" ", 2)[1].rstrip(":") if attached.startswith("sd ") else ""


def _forget(found: dict[tuple[str, str], Event], device: str) -> None:
    """Of the device that had the name before, its partitions ('loop0p1', 'sda1') and its journal ('loop0-8')."""
    part = _PART_AFTER_DIGIT if device[-1:].isdecimal() else _PART
    for key in [key for key in found if device and key[1].startswith(device)]:
        if part.fullmatch(key[1], len(device)):
            del found[key]


def _doubt(found: dict[tuple[str, str], Event]) -> None:
    for key, event in found.items():
        if event.device.startswith("loop"):
            found[key] = replace(event, doubtful=True)


def _without_echoes(found: dict[tuple[str, str], Event]) -> Iterator[Event]:
    if not found:
        return iter(())
    over = {pattern.id: pattern.over for pattern in patterns()}
    echoes = {(echo, event.device) for event in found.values() for echo in over[event.pattern]}
    return (event for key, event in found.items() if key not in echoes)


@lru_cache(maxsize=256)
def _beginning(sign: str) -> tuple[Pattern, ...]:
    """The rows that a line may fit which begins with a sign: most lines of a log begin as few rows do, or as none."""
    return tuple(row for row in patterns() if any(text[:1] in (sign, "") for text in row.match.beginnings))


@cache
def patterns() -> tuple[Pattern, ...]:
    """All rows, in the order in which they are tried."""
    whole = own_table(Path(__file__).with_name("kernel_log.toml"))
    return tuple(
        Pattern(
            id=row["id"],
            kind=row["class"],
            match=LatePattern(row["match"]),
            words=tuple(row.get("words", (row["literal"],))),
            says=row["says"],
            source=row["source"],
            examples=tuple(row["example"]),
            over=tuple(row.get("over", ())),
            kernels=tuple(row.get("kernels", ())),
        )
        for row in whole["pattern"]
    )
