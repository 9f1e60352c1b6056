"""I/O counters of every block device since boot: /proc/diskstats.

Written against Linux 6.18; 14 columns at first, 18 since 4.18, 20 since 5.5 (block_stat has the details).

     254       0 vda 51878 9419 2988106 10144 14406 16732 1253752 4649 0 6980 15222 4887 40 295432 336 1735 91

https://docs.kernel.org/admin-guide/iostats.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.block_stat import IoCounters, counters
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_IDENTITY_COLUMNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCounters:
    """One line."""

    maj_min: str
    """Device number, '8:0'."""
    name: str
    """Kernel name; a '!' in /sys is a '/' here (cciss/c0d0)."""
    counters: IoCounters


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskStats:
    """The devices in the order of the file."""

    devices: tuple[DeviceCounters, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> DiskStats | Unknown:
    """Read the file; no devices at all is a machine without disks."""
    devices: list[DeviceCounters] = []
    unread: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        device = _device(line)
        if device is None:
            unread.append(line)
        else:
            devices.append(device)
    if unread and not devices:
        return refusal(text, "no lines of /proc/diskstats")
    return DiskStats(devices=tuple(devices), unread=unread_pieces(unread))


def _device(line: str) -> DeviceCounters | None:
    fields = line.split()
    numbers = counters(fields[_IDENTITY_COLUMNS:])
    if numbers is None:
        return None
    major, minor = whole(fields[0]), whole(fields[1])
    if major is None or minor is None:
        return None
    return DeviceCounters(maj_min=f"{major}:{minor}", name=fields[2], counters=numbers)
