"""What the kernel's files, udev and lsblk tell of block devices: counters, scheduler, limits, properties, labels.

parse_block_stat:
I/O counters of one block device since boot: /sys/block/<disk>/stat, /sys/block/<disk>/<partition>/stat.

Written against Linux 6.18; 11 numbers at first, 15 since 4.18 (discards), 17 since 5.5 (flushes).
Sectors are 512 bytes whatever the device's own. The kernel counts flushes of whole disks only, and only
where requests are queued: md and dm devices show 0, their members count.

    51928 9509 3000170 10189 14406 16732 1253752 4649 0 7016 15267 4887 40 295432 336 1735 91

https://docs.kernel.org/block/stat.html, https://docs.kernel.org/admin-guide/iostats.html

parse_diskstats: I/O counters of every block device since boot: /proc/diskstats.

Written against Linux 6.18; 14 columns at first, 18 since 4.18, 20 since 5.5 (block_stat has the details).

     254       0 vda 51878 9419 2988106 10144 14406 16732 1253752 4649 0 6980 15222 4887 40 295432 336 1735 91

https://docs.kernel.org/admin-guide/iostats.html

parse_scheduler: The I/O scheduler of a disk: /sys/block/<disk>/queue/scheduler.

Written against Linux 6.18. The one in brackets is active. A queue that can have none (a bio-based device: md, dm)
says 'none' alone, without brackets.

    none [mq-deadline] kyber bfq

https://docs.kernel.org/block/switching-sched.html

parse_io_max: A cgroup's limits on I/O: io.max in a folder of /sys/fs/cgroup (cgroup v2).

Written against Linux 6.18. Devices without any limit are not listed, so an empty file sets none.

    8:16 rbps=2097152 wbps=max riops=max wiops=120

https://docs.kernel.org/admin-guide/cgroup-v2.html#io-interface-files

parse_udev_export: udev's properties of devices: `udevadm info --export-db`, and `udevadm info` of one or more devices.

Written against systemd 252; older versions print P N L S E alone, newer ones more letters (udevadm(8) lists them).
A blank line or the next `P:` ends a device. Values are not escaped: a property that holds a line feed goes on in a
line of its own; it is passed over, as is a last line without its end (the output was cut). One pass over the text,
so that a thousand disks cost what they should.

    P: /devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda
    N: sda
    S: disk/by-path/pci-0000:00:17.0-ata-1
    E: DEVNAME=/dev/sda
    E: ID_ATA_WRITE_CACHE_ENABLED=1

https://man7.org/linux/man-pages/man8/udevadm.8.html

parse_lsblk: Block devices as util-linux sees them: `lsblk --json -b -O`.

Written against util-linux 2.27 (the first with --json) to 2.41. Numbers and booleans were strings ("512", "0") up
to 2.32; `mountpoints` came with 2.37 and lists null for a device that is not mounted; some versions pad 'maj:min' with
blanks. Columns that come from udev's database (model, fstype, label, …) are null where udev does not run, so null is
never "has none". A device with several parents (RAID) stands below each: it is one record here.

    {"blockdevices": [{"name": "sda", "maj:min": "8:0", "size": 480103981056, "rota": false, "children": [
        {"name": "sda1", "maj:min": "8:1", "mountpoints": ["/"]}]}]}

https://man7.org/linux/man-pages/man8/lsblk.8.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import json_text, read_lines, refusal, unread_pieces, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.readers.json_text import Json


SECTOR_BYTES = 512

BASIC, WITH_DISCARDS, WITH_FLUSHES = 11, 15, 17
"""How many numbers each age of the kernel prints; a later one may append to the last."""


class IoCounters(Struct, frozen=True, kw_only=True):
    """What was done since boot; times add up over requests that ran side by side."""

    reads: int
    """Reads completed."""
    read_bytes: int
    read_ms: int
    writes: int
    """Writes completed."""
    write_bytes: int
    write_ms: int
    in_flight: int
    """Requests begun and not completed, now."""
    io_ms: int
    """Time with at least one request in flight."""
    weighted_io_ms: int
    """Time in flight summed over requests."""
    discards: int | None = None
    """Discards completed; None before Linux 4.18."""
    discard_bytes: int | None = None
    discard_ms: int | None = None
    flushes: int | None = None
    """Flush requests completed; None before Linux 5.5."""
    flush_ms: int | None = None


def counters(fields: Sequence[str]) -> IoCounters | None:
    """The counters from their printed fields, or None where their number or form fits no kernel."""
    if len(fields) not in (BASIC, WITH_DISCARDS) and len(fields) < WITH_FLUSHES:
        return None
    numbers = [number for field in fields[:WITH_FLUSHES] if (number := whole(field)) is not None]
    if len(numbers) != min(len(fields), WITH_FLUSHES):
        return None
    given = [*numbers, *[None] * (WITH_FLUSHES - len(numbers))]
    return IoCounters(
        reads=numbers[0],
        read_bytes=numbers[2] * SECTOR_BYTES,
        read_ms=numbers[3],
        writes=numbers[4],
        write_bytes=numbers[6] * SECTOR_BYTES,
        write_ms=numbers[7],
        in_flight=numbers[8],
        io_ms=numbers[9],
        weighted_io_ms=numbers[10],
        discards=given[11],
        discard_bytes=None if given[13] is None else given[13] * SECTOR_BYTES,
        discard_ms=given[14],
        flushes=given[15],
        flush_ms=given[16],
    )


def parse_block_stat(text: str) -> IoCounters | Unknown:
    """Read one stat file."""
    return counters(text.split()) or refusal(text, "no block device counters")


_IDENTITY_COLUMNS = 3


class DeviceCounters(Struct, frozen=True, kw_only=True):
    """One line."""

    maj_min: str
    """Device number, '8:0'."""
    name: str
    """Kernel name; a '!' in /sys is a '/' here (cciss/c0d0)."""
    counters: IoCounters


class DiskStats(Struct, frozen=True, kw_only=True):
    """The devices in the order of the file."""

    devices: tuple[DeviceCounters, ...]
    unread: tuple[str, ...] = ()


def parse_diskstats(text: str) -> DiskStats | Unknown:
    """Read the file; no devices at all is a machine without disks."""
    devices, unread = read_lines(text, _device)
    if unread and not devices:
        return refusal(text, "no lines of /proc/diskstats")
    return DiskStats(devices=devices, unread=unread_pieces(unread))


def _device(line: str) -> DeviceCounters | None:
    fields = line.split()
    numbers = counters(fields[_IDENTITY_COLUMNS:])
    if numbers is None:
        return None
    major, minor = whole(fields[0]), whole(fields[1])
    if major is None or minor is None:
        return None
    return DeviceCounters(maj_min=f"{major}:{minor}", name=fields[2], counters=numbers)


_NAME = late(r"[A-Za-z0-9][\w-]*", re.ASCII)


class Scheduler(Struct, frozen=True, kw_only=True):
    """The choice and what there is to choose from."""

    active: str
    available: tuple[str, ...]
    """In the file's order, the active one included."""


def parse_scheduler(text: str) -> Scheduler | Unknown:
    """Read one scheduler file."""
    words = text.split()
    names = tuple(word.removeprefix("[").removesuffix("]") for word in words)
    chosen = [name for word, name in zip(words, names, strict=True) if word == f"[{name}]"]
    active = chosen or ["none"] * (text == "none\n")
    if len(active) != 1 or not all(_NAME.fullmatch(name) for name in names):
        return refusal(text, "no list of I/O schedulers")
    return Scheduler(active=active[0], available=names)


_DEVICE = late(r"[0-9]{1,10}:[0-9]{1,10}", re.ASCII)


class IoMax(Struct, frozen=True, kw_only=True):
    """One file."""

    limited: tuple[str, ...]
    """The numbers of the devices that have a limit: '8:16'."""


def parse_io_max(text: str) -> IoMax | Unknown:
    """Read one io.max."""
    limited, others = read_lines(text, _limited)
    if others and not limited:
        return refusal(text, "no lines of io.max")
    return IoMax(limited=limited)


def _limited(line: str) -> str | None:
    device, *pairs = line.split() or [""]
    limits = {pair.partition("=")[0] for pair in pairs if "=" in pair}
    is_limit = not limits.isdisjoint(("rbps", "wbps", "riops", "wiops"))
    return device if is_limit and _DEVICE.fullmatch(device) else None


_LINE = late(r"([A-Z]): (.*)", re.DOTALL)


class UdevDevice(Struct, frozen=True, kw_only=True):
    """One device."""

    name: str | None
    """Device node below /dev: 'sda'; None for a device without a node."""
    properties: tuple[tuple[str, str], ...]
    """(key, value), each key once, in the order of the output."""

    def get(self, key: str) -> str | None:
        """The value of a property, or None where the device has no such property."""
        return next((value for name, value in self.properties if name == key), None)


class UdevExport(Struct, frozen=True, kw_only=True):
    """The devices in the order of the output."""

    devices: tuple[UdevDevice, ...]


def parse_udev_export(text: str) -> UdevExport | Unknown:
    """Read the devices of any subsystem; a machine may have none."""
    devices = tuple(_udev_device(lines) for lines in _blocks(text) if lines[0][0] == "P")
    if text.strip("\n") and not devices:
        return refusal(text, "no devices of udevadm")
    return UdevExport(devices=devices)


def _blocks(text: str) -> Iterator[list[tuple[str, str]]]:
    """The (letter, value) lines of each device; what has no such form is passed over."""
    block: list[tuple[str, str]] = []
    for line in text.split("\n")[:-1]:
        match = _LINE.fullmatch(line)
        if match is None and line:
            if block and block[-1][0] == "E":
                block.pop()
            continue
        if block and (match is None or match[1] == "P"):
            yield block
            block = []
        if match is not None:
            block.append((match[1], match[2]))
    if block:
        yield block


def _udev_device(lines: list[tuple[str, str]]) -> UdevDevice:
    """The device that begins with `P:`."""
    values = dict(lines)
    pairs = [line.partition("=") for letter, line in lines if letter == "E"]
    return UdevDevice(
        name=values.get("N") or None,
        properties=tuple({key: value for key, _, value in pairs}.items()),
    )


LSBLK_LABELS_ARGV: tuple[str, ...] = ("lsblk", "--json", "-o", "NAME,KNAME,LABEL")
"""What is asked of a machine without udev's word: every column of a thousand disks would be megabytes."""


class ListedDevice(Struct, frozen=True, kw_only=True):
    """One device; None where the column is missing or null."""

    name: str
    """The kernel's name ('dm-0'), else as device-mapper names it."""
    label: str | None


class Lsblk(Struct, frozen=True, kw_only=True):
    """The devices, parents before children, each once."""

    devices: tuple[ListedDevice, ...]


def parse_lsblk(text: str) -> Lsblk | Unknown:
    """Read the tree, or the list that `--list` prints."""
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return refusal(text, document.learn.partition(";")[0])
    if not isinstance(json_text.member(document, "blockdevices"), list):
        return refusal(text, "no blockdevices in the JSON")
    devices: dict[str, ListedDevice] = {}
    for entry in _flattened(json_text.items(document, "blockdevices")):
        name = _column(entry, "kname") or _column(entry, "name")
        if name is not None:
            label = json_text.string(entry, "label") or None
            devices.setdefault(name, ListedDevice(name=name, label=label))
    return Lsblk(devices=tuple(devices.values()))


def _flattened(roots: list[Json]) -> Iterator[Json]:
    """Each entry, depth first; without recursion, for a tree may be deep."""
    waiting = [*reversed(roots)]
    while waiting:
        entry = waiting.pop()
        yield entry
        waiting.extend(reversed(json_text.items(entry, "children")))


def _column(entry: Json, column: str) -> str | None:
    """The column without the blanks that pad it; an empty one says nothing."""
    return (json_text.string(entry, column) or "").strip() or None
