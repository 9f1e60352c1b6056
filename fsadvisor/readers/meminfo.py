"""Memory: /proc/meminfo.

Written against Linux 6.18 (MemAvailable since 3.14). The file says kB and means KiB.

    MemTotal:       16384000 kB
    MemAvailable:   14000000 kB
    Dirty:               128 kB

https://docs.kernel.org/filesystems/proc.html#meminfo
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LINE = re.compile(r"([\w()]+):\s+([0-9]{1,20})( kB)?\s*", re.ASCII)
_KIB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class MemInfo:
    """What bears on caching and writeback, in bytes."""

    mem_total_bytes: int
    mem_free_bytes: int | None
    mem_available_bytes: int | None
    """What new programs could get without swapping; None before Linux 3.14."""
    buffers_bytes: int | None
    cached_bytes: int | None
    """Page cache, shared memory included."""
    dirty_bytes: int | None
    """Waits to be written back."""
    writeback_bytes: int | None
    """Is being written back."""
    shmem_bytes: int | None
    reclaimable_slab_bytes: int | None
    swap_total_bytes: int | None
    swap_free_bytes: int | None
    hugetlb_bytes: int | None
    """Held by huge pages: no room for page cache; None before Linux 4.15."""
    unread: tuple[str, ...] = ()


def parse(text: str) -> MemInfo | Unknown:
    """Read the file."""
    values: dict[str, int] = {}
    unread: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        match = _LINE.fullmatch(line)
        if match is None:
            unread.append(line)
        elif match[3]:
            values[match[1]] = int(match[2]) * _KIB
    total = values.get("MemTotal")
    if total is None:
        return refusal(text, "no MemTotal line")
    return MemInfo(
        mem_total_bytes=total,
        mem_free_bytes=values.get("MemFree"),
        mem_available_bytes=values.get("MemAvailable"),
        buffers_bytes=values.get("Buffers"),
        cached_bytes=values.get("Cached"),
        dirty_bytes=values.get("Dirty"),
        writeback_bytes=values.get("Writeback"),
        shmem_bytes=values.get("Shmem"),
        reclaimable_slab_bytes=values.get("SReclaimable"),
        swap_total_bytes=values.get("SwapTotal"),
        swap_free_bytes=values.get("SwapFree"),
        hugetlb_bytes=values.get("Hugetlb"),
        unread=unread_pieces(unread),
    )
