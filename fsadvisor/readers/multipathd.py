"""What multipath devices do when no path is left: `multipathd show maps raw format '%n|%Q'`.

Written against multipath-tools 0.4.5 to 0.11 (libmultipath/print.c, snprint_queueing). The kernel's table alone does
not tell: multipathd sets queue_if_no_path for as long as no_path_retry counts, too.

    mpatha|on
    mpathb|18 chk
    mpathc|off

https://man7.org/linux/man-pages/man5/multipath.conf.5.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.parsing import refusal, unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

ARGV: tuple[str, ...] = ("multipathd", "show", "maps", "raw", "format", "%n|%Q")
_LINE = late(r"(?P<name>[^|\s][^|]{0,255})\|(?P<queueing>on|off|-|[0-9]{1,9} (?:chk|sec))", re.ASCII)


class Map(Struct, frozen=True, kw_only=True):
    """A multipath device."""

    name: str
    queueing: str
    """'on': for ever; 'off'; '18 chk' or '30 sec': for as long; '-': nothing was set."""


class Maps(Struct, frozen=True, kw_only=True):
    """The devices that multipathd keeps."""

    maps: tuple[Map, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> Maps | Unknown:
    """The devices, or why there are none."""
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    found = [(line, _LINE.fullmatch(line)) for line in lines]
    maps = tuple(Map(name=match["name"], queueing=match["queueing"]) for _, match in found if match)
    if not maps:
        return refusal(text, "the output is not that of multipathd")
    return Maps(maps=maps, unread=unread_pieces([line for line, match in found if match is None]))
