"""Reads the log of dm-log-writes (Linux, drivers/md/dm-log-writes.c): writes in the order they became safe.

The kernel writes an entry only when the drive's cache can no longer lose it: a write when a later flush has ended, a
write with FUA when it has ended itself. So the entries up to a flush are what is on the medium if the power fails after
it; of those from there to the next flush, any may be on the medium if it fails in between.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK, METADATA = (1 << bit for bit in range(5))
_SUPER = struct.Struct("<QQQI")
_ENTRY = struct.Struct("<QQQQ")


@dataclass(frozen=True)
class Entry:
    """One write, or a mark."""

    offset: int
    """In bytes, on the disk."""
    flags: int
    data: bytes = field(repr=False)
    """What was written; of a mark, its name."""
    discarded: int = 0
    """How many bytes a discard took."""

    @property
    def is_durable_point(self):
        """Whether the drive has promised everything up to here, or this write itself."""
        return bool(self.flags & (FLUSH | FUA))

    @property
    def mark(self):
        """The name of a mark, or None."""
        return self.data.decode() if self.flags & MARK else None


def entries(device):
    """The entries of a log, in order."""
    with Path(device).open("rb") as file:
        magic, version, count, sector = _SUPER.unpack(file.read(512)[: _SUPER.size])
        assert (magic, version) == (MAGIC, 1), f"{device} holds no log of dm-log-writes"
        place = sector
        for _ in range(count):
            file.seek(place)
            head = file.read(sector)
            start, sectors, flags, length = _ENTRY.unpack(head[: _ENTRY.size])
            place += sector
            if flags & MARK:
                # The name follows the entry's head in the same sector.
                yield Entry(0, flags, head[_ENTRY.size : _ENTRY.size + length])
            elif flags & DISCARD:
                yield Entry(start * sector, flags, b"", sectors * sector)
            else:
                file.seek(place)
                yield Entry(start * sector, flags, file.read(sectors * sector))
                place += sectors * sector


def apply(entry, file):
    """Do to an image what the entry did to the disk."""
    if entry.flags & MARK:
        return
    file.seek(entry.offset)
    file.write(entry.data or bytes(entry.discarded))
