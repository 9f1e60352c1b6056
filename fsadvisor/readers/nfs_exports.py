"""What an NFS server exports, and whether it acknowledges before the disk has it: /var/lib/nfs/etab.

Written against nfs-utils 1.3 to 2.8: exportfs writes it with every option spelled out, and empties it as the
server stops.

    /srv/data<TAB>192.0.2.0/24(rw,sync,wdelay,hide,nocrossmnt,secure,root_squash,no_all_squash,sec=sys,rw)

https://man7.org/linux/man-pages/man8/exportfs.8.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.mount_tables import unescape
from fsadvisor.readers.parsing import refusal, unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

PATH = "/var/lib/nfs/etab"
_LINE = late(r"(?P<path>/[^\t]*)\t[^\t(]*\((?P<options>[^)\t]*)\)")


class Export(Struct, frozen=True, kw_only=True):
    """A directory for some clients."""

    path: str
    options: tuple[str, ...]


class Exports(Struct, frozen=True, kw_only=True):
    """All of them; () where nothing is exported."""

    exports: tuple[Export, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> Exports | Unknown:
    """The exports; text of which no line is one is something else."""
    lines = [line for line in text.split("\n") if line.strip()]
    found = [(line, _LINE.fullmatch(line)) for line in lines]
    if lines and not any(match for _, match in found):
        return refusal(text, "the file is not exportfs's table")
    return Exports(
        exports=tuple(
            Export(path=unescape(match["path"]), options=tuple(match["options"].split(",")))
            for _, match in found
            if match
        ),
        unread=unread_pieces([line for line, match in found if match is None]),
    )
