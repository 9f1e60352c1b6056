"""What has changed of the machine since it was looked at, in the words of the head line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, columns, line, span
from fsadvisor.pages.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_NAME = 24


def disks_words(changes: Mapping[str, bool]) -> str:
    """'disk sdb appeared'; '3 disks appeared, 1 gone'. By name, whether it is there now; '' for none."""
    appeared = [name for name, there in changes.items() if there]
    gone = [name for name, there in changes.items() if not there]
    told = [_told(names, word) for names, word in ((appeared, "appeared"), (gone, "gone")) if names]
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


def with_notice(places: Line, changes: Mapping[str, bool], width: int) -> Line:
    """The row of places, with the notice at its right end."""
    told = notice(changes, width - columns(places) - 1)
    return (*places, Span(" " * (width - columns(places) - columns(told))), *told) if told else places


def _told(names: list[str], word: str) -> str:
    """One by its name, several counted."""
    if len(names) > 1:
        return f"{counted(len(names), 'disk')} {word}"
    return f"{_kind(names[0])} {span(names[0], longest=_LONGEST_NAME).text} {word}"


def _kind(name: str) -> str:
    return "device" if name.startswith(("dm-", "md", "loop", "bcache", "nbd", "zd")) else "disk"
