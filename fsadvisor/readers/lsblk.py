"""Block devices as util-linux sees them: `lsblk --json -b -O`.

Written against util-linux 2.27 (the first with --json) to 2.41. Numbers and booleans were strings ("512", "0") up
to 2.32; `mountpoints` came with 2.37 and lists null for a device that is not mounted; some versions pad 'maj:min' with
blanks. Columns that come from udev's database (model, fstype, label, …) are null where udev does not run, so null is
never "has none". A device with several parents (RAID) stands below each: it is one record here.

    {"blockdevices": [{"name": "sda", "maj:min": "8:0", "size": 480103981056, "rota": false, "children": [
        {"name": "sda1", "maj:min": "8:1", "mountpoints": ["/"]}]}]}

https://man7.org/linux/man-pages/man8/lsblk.8.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Unknown
from fsadvisor.readers import json_text, refusal, unread_pieces, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.readers.json_text import Json

LABELS_ARGV = ("lsblk", "--json", "-o", "NAME,KNAME,LABEL")
"""What is asked of a machine without udev's word: every column of a thousand disks would be megabytes."""

_BOOLEANS = {"0": False, "1": True}


class ListedDevice(Struct, frozen=True, kw_only=True):
    """One device; None where the column is missing or null."""

    name: str
    """As device-mapper names it, else the kernel."""
    kname: str | None
    """The kernel's name: 'dm-0'."""
    path: str | None
    """'/dev/mapper/…'."""
    maj_min: str | None
    """Device number, '8:0'."""
    type: str | None
    """'disk', 'part', 'lvm', 'crypt', 'raid1', 'loop', 'rom', …"""
    parents: tuple[str, ...]
    """Names of the devices right below, in the order of the output."""
    pkname: str | None
    """The kernel's name of the first parent."""
    size_bytes: int | None
    start: int | None
    """A partition's first sector, in units of 512 bytes."""
    phy_sec: int | None
    """Physical sector, bytes."""
    log_sec: int | None
    """Logical sector, bytes."""
    alignment: int | None
    """Bytes off the underlying alignment; -1: misaligned."""
    min_io: int | None
    """Minimum I/O size, bytes."""
    opt_io: int | None
    """Optimal I/O size, bytes; 0: the device reports none."""
    disc_gran: int | None
    """Discard granularity, bytes; 0: no discard."""
    rota: bool | None
    """Rotational, as the kernel believes."""
    ro: bool | None
    """Read-only."""
    sched: str | None
    """Active I/O scheduler."""
    model: str | None
    vendor: str | None
    rev: str | None
    """Firmware revision."""
    tran: str | None
    """Transport: 'sata', 'sas', 'nvme', 'usb', …"""
    fstype: str | None
    fsver: str | None
    label: str | None
    parttype: str | None
    """Partition type, a GUID or a number of the DOS table."""
    mountpoints: tuple[str, ...] | None
    """Where it is mounted, '[SWAP]' for swap; () where lsblk says nowhere."""


class Lsblk(Struct, frozen=True, kw_only=True):
    """The devices, parents before children, each once."""

    devices: tuple[ListedDevice, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> Lsblk | Unknown:
    """Read the tree, or the list that `--list` prints."""
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return refusal(text, document.learn.partition(";")[0])
    if not isinstance(json_text.member(document, "blockdevices"), list):
        return refusal(text, "no blockdevices in the JSON")
    devices: dict[str, ListedDevice] = {}
    parents: dict[str, dict[str, None]] = {}
    unread: list[str] = []
    for entry, parent in _flattened(json_text.items(document, "blockdevices")):
        device = _device(entry, parent)
        if device is None:
            unread.append("a block device without a name")
            continue
        key = device.kname or device.path or device.name
        devices.setdefault(key, device)
        parents.setdefault(key, {}).update(dict.fromkeys(device.parents))
    joined = (replace(device, parents=tuple(parents[key])) for key, device in devices.items())
    return Lsblk(devices=tuple(joined), unread=unread_pieces(unread))


def _flattened(roots: list[Json]) -> Iterator[tuple[Json, str | None]]:
    """Each entry with its parent's name, depth first; without recursion, for a tree may be deep."""
    waiting: list[tuple[Json, str | None]] = [(root, None) for root in reversed(roots)]
    while waiting:
        entry, parent = waiting.pop()
        yield entry, parent
        name = _name(entry)
        waiting.extend((child, name) for child in reversed(json_text.items(entry, "children")))


def _name(entry: Json) -> str | None:
    return _text(entry, "name") or _text(entry, "kname")


def _device(entry: Json, parent: str | None) -> ListedDevice | None:
    name = _name(entry)
    if name is None:
        return None
    pkname = _text(entry, "pkname")
    return ListedDevice(
        name=name,
        kname=_text(entry, "kname"),
        path=_text(entry, "path"),
        maj_min=_text(entry, "maj:min"),
        type=_text(entry, "type"),
        parents=tuple(filter(None, [parent or pkname])),
        pkname=pkname,
        size_bytes=_number(entry, "size"),
        start=_number(entry, "start"),
        phy_sec=_number(entry, "phy-sec"),
        log_sec=_number(entry, "log-sec"),
        alignment=_number(entry, "alignment"),
        min_io=_number(entry, "min-io"),
        opt_io=_number(entry, "opt-io"),
        disc_gran=_number(entry, "disc-gran"),
        rota=_boolean(entry, "rota"),
        ro=_boolean(entry, "ro"),
        sched=_text(entry, "sched"),
        model=_text(entry, "model"),
        vendor=_text(entry, "vendor"),
        rev=_text(entry, "rev"),
        tran=_text(entry, "tran"),
        fstype=_text(entry, "fstype"),
        fsver=_text(entry, "fsver"),
        label=json_text.string(entry, "label") or None,
        parttype=_text(entry, "parttype"),
        mountpoints=_mountpoints(entry),
    )


def _text(entry: Json, column: str) -> str | None:
    """The column without the blanks that pad it; an empty one says nothing."""
    return (json_text.string(entry, column) or "").strip() or None


def _number(entry: Json, column: str) -> int | None:
    return whole(_text(entry, column)) if _text(entry, column) else json_text.integer(entry, column)


def _boolean(entry: Json, column: str) -> bool | None:
    value = json_text.member(entry, column)
    return value if isinstance(value, bool) else _BOOLEANS.get(str(value))


def _mountpoints(entry: Json) -> tuple[str, ...] | None:
    if not isinstance(entry, dict) or entry.keys().isdisjoint(("mountpoints", "mountpoint")):
        return None
    given = json_text.items(entry, "mountpoints") or [entry.get("mountpoint")]
    return tuple(point for point in given if isinstance(point, str) and point)
