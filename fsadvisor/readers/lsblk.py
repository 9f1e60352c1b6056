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

from fsadvisor.facts import Unknown
from fsadvisor.readers import json_text, refusal, unread_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.readers.json_text import Json

LABELS_ARGV = ("lsblk", "--json", "-o", "NAME,KNAME,LABEL")
"""What is asked of a machine without udev's word: every column of a thousand disks would be megabytes."""


class ListedDevice(Struct, frozen=True, kw_only=True):
    """One device; None where the column is missing or null."""

    name: str
    """The kernel's name ('dm-0'), else as device-mapper names it."""
    label: str | None


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
    unread: list[str] = []
    for entry in _flattened(json_text.items(document, "blockdevices")):
        name = _text(entry, "kname") or _text(entry, "name")
        if name is None:
            unread.append("a block device without a name")
        else:
            label = json_text.string(entry, "label") or None
            devices.setdefault(name, ListedDevice(name=name, label=label))
    return Lsblk(devices=tuple(devices.values()), unread=unread_pieces(unread))


def _flattened(roots: list[Json]) -> Iterator[Json]:
    """Each entry, depth first; without recursion, for a tree may be deep."""
    waiting = [*reversed(roots)]
    while waiting:
        entry = waiting.pop()
        yield entry
        waiting.extend(reversed(json_text.items(entry, "children")))


def _text(entry: Json, column: str) -> str | None:
    """The column without the blanks that pad it; an empty one says nothing."""
    return (json_text.string(entry, column) or "").strip() or None
