"""The head lines: which machine, as whom, what it comes to, and where one may go.

What has changed of the machine since it was looked at, in the words of the head line.
"""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, columns, cut, line, padded, span
from fsadvisor.pages.values import counted, listed
from fsadvisor.report import as_json
from fsadvisor.report.findings import ALSO, BEHIND
from fsadvisor.report.sections import NOT_BY_SEVERITY
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.tui.views.severity import TONES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.snapshot import Snapshot


_LONGEST: Final = 40
_NAME_KEPT: Final = 24
"""Columns of a machine's name that are not given up for counts."""

_GAPS: Final = 4
_TOOLS_NAMED: Final = 3
_GAP: Final = Span("  ")


def head_line(snapshot: Snapshot, width: int, glyphs: Glyphs) -> Line:
    """In so many columns: which machine it is and the gravest that was found are kept when room is short."""
    named = min(columns((next(_machine(snapshot)),)), _NAME_KEPT, width * 3 // 10)
    right = (*_fitting(_comes_to(snapshot, glyphs), max(width - named - _GAPS, 0), glyphs), Span(" "))
    room = max(width - columns(right) - 2, 0)
    left = cut((Span(" "), *_fitting(_machine(snapshot), room, glyphs)), room + 1, glyphs.ellipsis)
    full = (*left, Span(" " * max(width - columns(left) - columns(right), 0)), *right)
    return full if columns(full) <= width else cut(right, width, glyphs.ellipsis)


RECORDED: Final = "recording"
"""What the end of the head line says of a machine that is not this one."""


def noted(drawn: Callable[[int], Line], note: str, width: int) -> Line:
    """What is drawn for the columns that are left, then the note, whatever place is seen."""
    room = room_beside(note, width)
    return (*padded(drawn(room), room), *_ending(note, width))


def room_beside(note: str, width: int) -> int:
    """The columns that the note leaves."""
    return max(width - columns(_ending(note, width)), 0)


def _ending(note: str, width: int) -> Line:
    """Nothing where the machine and what it comes to would have less than half of the line."""
    right = (span(f" {note} ", Tone.MATCH),) if note else NOTHING
    return right if columns(right) * 2 <= width else NOTHING


def count_at(snapshot: Snapshot, width: int, column: int, glyphs: Glyphs) -> str:
    """What the number at that column of the head line counts: 'critical', 'waived', 'unknown'; '' for nothing."""
    for part in head_line(snapshot, width, glyphs):
        if column < columns((part,)):
            number, _, what = part.text.partition(" ")
            return what if what in _COUNTED and number.replace(",", "").isdecimal() else ""
        column -= columns((part,))
    return ""


def waiting_line(name: str, width: int, glyphs: Glyphs, told: str = "") -> Line:
    """In so many columns: the machine of that name is looked at for the first time, and how far that is."""
    asked = Span(f"{told or 'asking for its disks, mounts and services'} {glyphs.ellipsis}", Tone.DIM)
    parts = (_named(name), asked) if name else (asked,)
    return cut((Span(" "), *_fitting(parts, max(width - 1, 0), glyphs)), width, glyphs.ellipsis)


def _fitting(parts: Iterable[Span], room: int, glyphs: Glyphs) -> Iterator[Span]:
    """As many as there is room for, the first in any case (cut), with gaps between them."""
    for index, part in enumerate(parts):
        spaced = (_GAP, part) if index else cut((part,), room, glyphs.ellipsis)
        room -= columns(spaced)
        if room < 0:
            return
        yield from spaced


def _machine(snapshot: Snapshot) -> Iterator[Span]:
    yield _named(snapshot.host or called(snapshot.storage.machine))
    if snapshot.about.root is False:
        yield Span("not root: sees less", Tone.WARNING)
    if snapshot.missing_tools:
        tools = [span(one, longest=_LONGEST).text for one in snapshot.missing_tools]
        more = f" and {len(tools) - _TOOLS_NAMED} more" if len(tools) > _TOOLS_NAMED else ""
        yield Span(f"no {', '.join(tools[:_TOOLS_NAMED])}{more}", Tone.WARNING)
    if kernel := as_json.kernel(snapshot.storage):
        yield span(f"Linux {kernel}", Tone.DIM, _LONGEST)
    if snapshot.about.root:
        yield Span("as root", Tone.DIM)


def called(recording: str) -> str:
    """A recorded machine by its folder or file."""
    return PurePath(recording).name or recording


def _named(machine: str) -> Span:
    return span(machine, Tone.TITLE, _LONGEST)


def _comes_to(snapshot: Snapshot, glyphs: Glyphs) -> Iterator[Span]:
    """The gravest first, since the end is left out where room is short."""
    counts = Counter(one.counts_as for one in snapshot.findings)
    for severity, tone in TONES.items():
        if counts[severity]:
            yield span(f"{counts[severity]} {severity}", tone)
    if snapshot.asking:
        yield Span(f"{asking(snapshot)} {glyphs.ellipsis}", Tone.DIM)
    else:
        yield from (Span(f"{counts[what]} {what}", Tone.WARNING) for what in _IN_THE_WAY if counts[what])
        if not counts:
            yield Span("nothing to advise", Tone.GOOD)
    if number := not snapshot.asking and snapshot.outcomes.get(Outcome.UNDETERMINED, 0):
        yield Span(f"{number:,} unknown", Tone.UNKNOWN)
    if not snapshot.asking:
        yield from (Span(f"{counts[what]} {what}", Tone.DIM) for what in (ALSO, BEHIND) if counts[what])
    if snapshot.about.rule_errors:
        yield Span(f"{counted(len(snapshot.about.rule_errors), 'rule')} not loaded", Tone.WARNING)


_IN_THE_WAY: Final = tuple(what for what in NOT_BY_SEVERITY if what not in (ALSO, BEHIND))
_COUNTED: Final = {*TONES, *NOT_BY_SEVERITY, "unknown"}


def asking(snapshot: Snapshot) -> str:
    """Who is still being asked: 'asking smartctl and nvme'."""
    tools = list(dict.fromkeys(span(one.partition(" ")[0], longest=_LONGEST).text for one in snapshot.asking))
    if len(tools) > _TOOLS_NAMED:
        return f"asking {counted(len(snapshot.asking), 'question')}"
    return f"asking {listed(tools)}"


PLACES: Final = (
    ("overview", "1", "Overview"),
    ("unknowns", "2", "Unknowns"),
    ("what_if", "3", "What if"),
    ("probes", "4", "Probes"),
    ("live", "5", "Live"),
    ("plan", "6", "Plan"),
    ("trials", "7", "Trials"),
)
"""Modes, their keys and names."""


def places_line(mode: str, width: int) -> Line:
    """Where one may go, the place where one is lit; where room is short, the others are numbers only."""
    whole = tuple(one for place in _places(mode, width) for one in place[1])
    return cut(whole, width)


def place_at(mode: str, width: int, column: int) -> str | None:
    """The mode whose name stands at that column (from 0)."""
    end = 0
    for name, spans in _places(mode, width):
        end += columns(spans)
        if column < end:
            return name
    return None


def _places(mode: str, width: int) -> list[tuple[str, Line]]:
    spelt = [(one, _place(key, name, one == mode)) for one, key, name in PLACES]
    if sum(columns(spans) for _, spans in spelt) <= width:
        return spelt
    return [(one, _place(key, name if one == mode else "", one == mode)) for one, key, name in PLACES]


def _place(key: str, name: str, is_here: bool) -> Line:
    shown = (Span(f" {name} ", Tone.MATCH if is_here else Tone.PLAIN),) if name else ()
    return (Span(" "), Span(key, Tone.KEY), *shown)


_LONGEST_NAME = 24


def disks_words(changes: Mapping[str, bool]) -> str:
    """'disk sdb appeared'; '3 disks appeared, 1 gone'. By name, whether it is there now; '' for none."""
    appeared = [name for name, there in changes.items() if there]
    gone = [name for name, there in changes.items() if not there]
    told = [_disks_that(names, word) for names, word in ((appeared, "appeared"), (gone, "gone")) if names]
    return ", ".join(told)


def notice(changes: Mapping[str, bool], room: int) -> Line:
    """The same with the key that helps, as long as there is room; nothing where there is no change."""
    if not changes:
        return NOTHING
    words = disks_words(changes)
    short = counted(len(changes), "disk") + " changed"
    for said in (f"{words}: press ", f"{words}: ", f"{short}: ", "changed: "):
        end = " to look again " if said.endswith("press ") else " "
        shown = line(span(said, Tone.WARNING), span("r", Tone.KEY), span(end, Tone.WARNING))
        if columns(shown) <= room:
            return shown
    return NOTHING


_TOLD: Final = 31
"""Columns that the places leave to what is urgent, if need be by their numbers alone."""


def places_room(width: int, *, urgent: bool) -> int:
    """Columns of a line of `width` that the names of places may take."""
    return max(width - _TOLD, _TOLD) if urgent and width > _TOLD else width


def with_told(places: Line, told: Line, width: int) -> Line:
    """The row of places, with something at its right end."""
    return (*places, Span(" " * (width - columns(places) - columns(told))), *told) if told else places


def _disks_that(names: list[str], word: str) -> str:
    """'disk sda WORD', or '3 disks WORD'."""
    if len(names) > 1:
        return f"{counted(len(names), 'disk')} {word}"
    return f"{_kind(names[0])} {span(names[0], longest=_LONGEST_NAME).text} {word}"


def _kind(name: str) -> str:
    return "device" if name.startswith(("dm-", "md", "loop", "bcache", "nbd", "rbd", "drbd", "zd")) else "disk"
