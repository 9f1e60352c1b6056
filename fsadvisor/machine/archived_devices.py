"""Block devices below /sys/block as they must have been, from what an archive has in other words.

| told | by |
|---|---|
| names, places, numbers, UUIDs | udev's database, a listing of /sys/block, /proc/partitions, lsblk, dmsetup info |
| which lie under which | lsblk as a tree or in pairs, dmsetup table, multipath -ll, /proc/mdstat |
| sizes, starts, sectors | /proc/partitions, blockdev --report, lsblk -t, lsblk -D |
| models | lsblk in pairs, parted print |

The replies name these sources. What lies under a device is told where something tells all of it: hardware stands on
nothing, and a mapped device on what lsblk or its table lists. Of any other device nobody may think that there is
nothing below. From util-linux 2.34 on, `lsblk -P` prints a device once and names one of its parents only.

https://github.com/sosreport/sos/blob/main/sos/report/plugins/block.py (and before 4.0, sos/plugins/block.py)
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from fsadvisor.machine import archived_logs, sources
from fsadvisor.machine.port import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Text = Callable[[str], str]
    """The text of a file, or of a command's output, '' where the archive has none."""

PAIRS: Final = "lsblk -O -P"
TREE: Final = "lsblk"
PARTITIONS: Final = "/proc/partitions"
_MDSTAT: Final = "/proc/mdstat"
_TABLE: Final = "dmsetup table"
_INFO: Final = "dmsetup info -c"
_REPORT: Final = "blockdev --report"
_LISTINGS: Final = ("ls -lanR /sys/block", "ls -alZR /sys/block", "ls -alR /sys/block", "ls -laR /sys/block")

_PARTITION_LINE: Final = re.compile(r"^\s*(\d{1,9})\s+(\d{1,9})\s+(\d{1,18})\s+(\S+)$", re.MULTILINE)
_LINK: Final = re.compile(r" (\S+) -> \.\.(/devices/\S+)$", re.MULTILINE)
_PAIR: Final = re.compile(r'(?:^|\s)(KNAME|PKNAME|MAJ:MIN|MAJ_MIN|MODEL|VENDOR|REV)="([^"]*)"')
_ROW: Final = re.compile(r"^([|`\u2502\u251c\u2514\ufffd\udc80-\udcff\s]*[-\u2500]?)([^\s|`]\S*)\s+(.*)$")
_NEVER_EMPTY: Final = (
    "NAME", "KNAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE", "ALIGNMENT", "MIN-IO", "OPT-IO", "PHY-SEC", "LOG-SEC",
    "ROTA", "DISC-ALN", "DISC-GRAN", "DISC-MAX",
)  # fmt: skip
_NUMBER: Final = re.compile(r"(?<!\S)\d{1,9}:\d{1,9}(?!\S)")
_REPORT_LINE: Final = re.compile(
    r"^r[ow] +(\d{1,9}) +(\d{1,9}) +\d{1,9} +(\d{1,18}) +(\d{1,19}) +/dev/(\S+)$", re.MULTILINE
)
_ARRAY: Final = re.compile(
    r"^(md\S*) : (?:active|inactive)(?: \([a-z-]+\))?(?: (raid\d+|linear|multipath))?((?: \S+)*)$"
)
_MEMBER: Final = re.compile(r" (\S+)\[\d+\]")
_DISKS: Final = re.compile(r"\[(\d{1,4})/(\d{1,4})\]")
_MULTIPATH: Final = re.compile(r"([A-Za-z0-9#+\-.:=@_]+) (?:\(([^()\s]+)\) )?(dm-\d+) ")
_PATH: Final = re.compile(r"[ |`+-]+\d+:\d+:\d+:\d+ +(\S+) +(\d+:\d+) ")
_LOOP: Final = re.compile(r"^/dev/(loop\d+): \[[^\]]*\]:\d+ \((/.*?)\)", re.MULTILINE)
_PARTED: Final = re.compile(r"^Model: (\S.*\S) \((scsi|nvme)\)$", re.MULTILINE)
_MAPPED_NAME: Final = re.compile(r"[A-Za-z0-9#+\-.:=@_\\]+")
_REDUNDANT: Final = ("raid1", "raid4", "raid5", "raid6", "raid10")
_MAPPED_TYPES: Final = ("lvm", "crypt", "mpath", "dm", "dmraid")
_HARDWARE: Final = re.compile(r"(?:sd|hd|vd|xvd|dasd)[a-z]+|nvme\d+n\d+|(?:mmcblk|pmem)\d+")
_ON_NOTHING: Final = re.compile(r"(?:loop|ram|zram|zd|nbd|sr|fd)\d+")
UNSEEN: Final = re.compile(r"ram\d+|nvme\d+c\d+n\d+")
"""What lsblk does not list, and no filesystem is on: memory, and the single paths of an NVMe of several."""
_PART: Final = re.compile(r"((?:sd|hd|vd|xvd|dasd)[a-z]+|(?:nvme\d+n|mmcblk|md|loop|pmem|nbd)\d+p)(\d+)")
_UNITS: Final = {"B": 0, "K": 10, "M": 20, "G": 30, "T": 40}


class DerivedDevices(Struct, frozen=True):
    """Files, folders and links below /sys/block as they must have been."""

    files: dict[str, Reply] = field(default_factory=dict)
    folders: dict[str, set[str]] = field(default_factory=dict)
    links: dict[str, Reply] = field(default_factory=dict)


class _Device(Struct):
    """What is told of one device; `below` None where nothing tells what it stands on."""

    files: dict[str, Reply] = field(default_factory=dict)
    place: Reply | None = None
    parent: str | None = None
    below: set[str] | None = None
    in_use: bool = False
    """lsblk, losetup: which list no loop device without a file."""


class _Found:
    """All devices by the kernel's name, filled by one source after another; the first word stays."""

    def __init__(self) -> None:
        self.devices: dict[str, _Device] = {}
        self._by_number: dict[str, str] = {}
        self._by_mapped: dict[str, str] = {}

    def tell(self, name: str, leaf: str, text: object, source: str) -> None:
        """The content of a file in a device's folder."""
        self.devices.setdefault(name, _Device()).files.setdefault(leaf, Reply(f"{text}\n", source))
        if leaf == "dev":
            self._by_number.setdefault(str(text), name)
        if leaf == "dm/name":
            self._by_mapped.setdefault(str(text), name)

    def name_of(self, number: str | None, shown: str, kind: str | None = None) -> str:
        """The kernel's name of what lsblk shows, which names mapped devices by their own."""
        known = self._by_number.get(number or "") or self._by_mapped.get(shown)
        if known is None and number and kind in _MAPPED_TYPES:
            return f"dm-{number.partition(':')[2]}"
        return known or shown

    def numbered(self, number: str) -> str | None:
        """The kernel's name of 'major:minor'."""
        return self._by_number.get(number)

    def mapped(self, name: str) -> str | None:
        """The kernel's name of a mapped device."""
        return self._by_mapped.get(name)

    def stands_on(self, name: str, below: set[str]) -> None:
        """Some or all of what is right below a device."""
        device = self.devices.setdefault(name, _Device())
        device.below = (device.below or set()) | below


def derived_devices(file: Text, output: Text, copied: Mapping[str, str]) -> DerivedDevices:
    """Put together what an archive tells; `copied` are the links of /sys/block that it has itself, if any."""
    found = _Found()
    for name, target in copied.items():
        found.devices[name] = _Device(place=Reply(target, f"/sys/block/{name}"))
    _from_udev(found, output(sources.UDEV))
    for major, minor, blocks, name in _PARTITION_LINE.findall(file(PARTITIONS)):
        found.tell(name, "dev", f"{major}:{minor}", PARTITIONS)
        found.tell(name, "size", int(blocks) * 2, PARTITIONS)
    listed = next(filter(None, map(output, _LISTINGS)), "")
    for name, path in _LINK.findall(listed):
        device = found.devices.setdefault(name, _Device())
        device.place = device.place or Reply(f"..{path}", _LISTINGS[0])
    _from_dmsetup_info(found, output(_INFO))
    _from_pairs(found, output(PAIRS))
    _from_tree(found, output(TREE))
    _from_multipath(found, output("multipath -ll") or output("multipath -l"))
    _from_tables(found, output(_TABLE))
    _from_mdstat(found, file(_MDSTAT))
    for name, backing in _LOOP.findall(output("losetup -a")):
        found.tell(name, "loop/backing_file", backing, "losetup -a")
    _from_report(found, output(_REPORT))
    _from_columns(found, output)
    _from_parted(found, output)
    for name, device in found.devices.items():
        if device.parent is None and device.place is None:
            device.parent = _parent_by_name(name, found)
    return _emitted(found)


def devices_in_log(log: Reply) -> DerivedDevices:
    """The disks that the kernel named as it found them, where nothing else tells of any."""
    found = _Found()
    for disk, sectors, parts in archived_logs.disks(log.text):
        found.devices.setdefault(disk, _Device())
        if sectors:
            found.tell(disk, "size", sectors, log.source)
        for part in parts:
            found.devices.setdefault(part, _Device()).parent = disk
    return _emitted(found)


def _from_udev(found: _Found, udev: str) -> None:
    for record in udev.split("\n\n"):
        lines = record.strip().split("\n")
        properties = dict(line[3:].split("=", 1) for line in lines if line.startswith("E: ") and "=" in line)
        if not lines[0].startswith("P: /devices/") or properties.get("SUBSYSTEM", "block") != "block":
            continue
        path = lines[0].removeprefix("P: ")
        *_, parent, name = path.split("/")
        device = found.devices.setdefault(name, _Device())
        if properties.get("DEVTYPE") == "partition" or "/block/" in path.rpartition("/")[0]:
            device.parent = parent
        else:
            device.place = device.place or Reply(f"..{path}", sources.UDEV)
        if "MAJOR" in properties:
            found.tell(name, "dev", f"{properties['MAJOR']}:{properties.get('MINOR')}", sources.UDEV)
        for leaf, key in (("partition", "PARTN"), ("dm/name", "DM_NAME"), ("dm/uuid", "DM_UUID")):
            if key in properties:
                found.tell(name, leaf, properties[key], sources.UDEV)


def _from_dmsetup_info(found: _Found, text: str) -> None:
    heading, _, rows = text.partition("\n")
    columns = heading.split()
    if columns[:3] != ["Name", "Maj", "Min"]:
        return
    for row in rows.splitlines():
        cells = row.split()
        if len(cells) < len(columns) - 1 or not (cells[1] + cells[2]).isdigit() or not _MAPPED_NAME.fullmatch(cells[0]):
            continue
        name = found.numbered(f"{cells[1]}:{cells[2]}") or f"dm-{cells[2]}"
        found.tell(name, "dev", f"{cells[1]}:{cells[2]}", _INFO)
        found.tell(name, "dm/name", cells[0], _INFO)
        if columns[-1] == "UUID" and len(cells) == len(columns):
            found.tell(name, "dm/uuid", cells[-1], _INFO)


def _from_pairs(found: _Found, text: str) -> None:
    once = ' MOUNTPOINTS="' in text or ' FSVER="' in text
    for line in text.splitlines():
        row: dict[str, str] = dict(_PAIR.findall(line))
        name, parent = row.get("KNAME"), row.get("PKNAME")
        if not name:
            continue
        number = row.get("MAJ:MIN", row.get("MAJ_MIN", "")).strip()
        if number:
            found.tell(name, "dev", number, PAIRS)
        for key in ("MODEL", "VENDOR", "REV"):
            value: str = re.sub(r"\\x([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), row.get(key, ""))
            if value := value.strip():
                found.tell(name, f"device/{key.lower()}", value, PAIRS)
        _set_below(found, name, parent or None, whole=not once)


def _set_below(found: _Found, name: str, parent: str | None, *, whole: bool) -> None:
    """A device in a list: a partition belongs to its disk, any other stands on its parent."""
    device = found.devices.setdefault(name, _Device())
    device.in_use = True
    if parent and not name.startswith("dm-") and _is_part_of(name, parent):
        device.parent = parent
    elif whole:
        found.stands_on(name, {parent} if parent else set())


def _from_tree(found: _Found, text: str) -> None:
    above: list[tuple[int, str]] = []
    for column, shown, cells in _rows(text):
        number = cells.get("MAJ:MIN", "")
        if not _NUMBER.fullmatch(number):
            continue
        name = found.name_of(number, cells.get("KNAME", shown), cells.get("TYPE"))
        found.tell(name, "dev", number, TREE)
        if name.startswith("dm-") and _MAPPED_NAME.fullmatch(shown) and shown != name:
            found.tell(name, "dm/name", shown, TREE)
        while above and above[-1][0] >= column:
            above.pop()
        _set_below(found, name, above[-1][1] if above else None, whole=True)
        above.append((column, name))


def _rows(text: str) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Each row of an lsblk: where its name begins, the name and the cells before any that may be empty."""
    heading, _, rows = text.partition("\n")
    columns = heading.split()
    if columns[:1] != ["NAME"]:
        return
    columns = list(takewhile(_NEVER_EMPTY.__contains__, columns))
    for row in rows.splitlines():
        if match := _ROW.match(row):
            yield len(match[1]), match[2], dict(zip(columns[1:], match[3].split(), strict=False))


def _from_tables(found: _Found, text: str) -> None:
    for line in text.splitlines():
        mapped, colon, table = line.partition(": ")
        name = found.mapped(mapped)
        if colon and name is not None:
            below = {found.numbered(number) for number in _NUMBER.findall(table)}
            if None not in below:
                found.stands_on(name, {it for it in below if it})


def _from_multipath(found: _Found, text: str) -> None:
    """`mpatha (WWID) dm-2 VENDOR,PRODUCT`, then a path a line: its place, name and number."""
    device = ""
    for line in text.splitlines():
        if top := _MULTIPATH.match(line):
            device = top[3]
            found.tell(device, "dm/name", top[1], "multipath -ll")
            found.tell(device, "dm/uuid", f"mpath-{top[2] or top[1]}", "multipath -ll")
        elif device and (path := _PATH.match(line)):
            found.stands_on(device, {found.name_of(path[2], path[1])})


def _from_mdstat(found: _Found, text: str) -> None:
    lines = text.splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=False):
        if not (array := _ARRAY.match(line)):
            continue
        name, level, members = array.groups()
        found.stands_on(name, set(_MEMBER.findall(members)))
        if level:
            found.tell(name, "md/level", level, _MDSTAT)
        if (disks := _DISKS.search(after)) and level in _REDUNDANT:
            found.tell(name, "md/raid_disks", int(disks[1]), _MDSTAT)
            found.tell(name, "md/degraded", int(disks[1]) - int(disks[2]), _MDSTAT)


def _from_report(found: _Found, text: str) -> None:
    for ahead, sector, start, size, name in _REPORT_LINE.findall(text):
        if name not in found.devices and not _HARDWARE.fullmatch(name):
            continue
        found.tell(name, "size", int(size) // 512, _REPORT)
        found.tell(name, "start", start, _REPORT)
        found.tell(name, "queue/read_ahead_kb", int(ahead) // 2, _REPORT)
        found.tell(name, "queue/logical_block_size", sector, _REPORT)


def _from_columns(found: _Found, output: Text) -> None:
    """What `lsblk -t` and `lsblk -D` have before their first cell that may be empty."""
    leaves = {"ALIGNMENT": "alignment_offset", "PHY-SEC": "queue/physical_block_size", "ROTA": "queue/rotational"}
    for _, shown, cells in _rows(output("lsblk -t")):
        name = found.name_of(None, shown)
        for column, leaf in leaves.items():
            if name in found.devices and cells.get(column, "").isdigit():
                found.tell(name, leaf, cells[column], "lsblk -t")
    for _, shown, cells in _rows(output("lsblk -D")):
        name, most = (
            found.name_of(None, shown),
            re.fullmatch(r"(\d{1,6})(?:\.\d+)?([BKMGT])", cells.get("DISC-MAX", "")),
        )
        if name in found.devices and most:
            found.tell(name, "queue/discard_max_bytes", int(most[1]) << _UNITS[most[2]], "lsblk -D")


def _from_parted(found: _Found, output: Text) -> None:
    """The vendor and model that the kernel has; parted tells them for every disk, and udev may not have been asked."""
    for name in [it for it in found.devices if _HARDWARE.fullmatch(it)]:
        for command in (f"parted -s /dev/{name} unit s print", f"parted -s /dev/{name} print"):
            if match := _PARTED.search(output(command)):
                vendor, model = match[1].split(" ", 1) if match[2] == "scsi" and " " in match[1] else ("", match[1])
                found.tell(name, "device/model", model, command)
                if vendor:
                    found.tell(name, "device/vendor", vendor, command)


def _is_part_of(name: str, disk: str) -> bool:
    return re.fullmatch(rf"{re.escape(disk)}p?\d+", name) is not None


def _parent_by_name(name: str, found: _Found) -> str | None:
    """The disk of a partition of which only the name is told."""
    match = _PART.fullmatch(name)
    disk = match and (match[1] if match[1] in found.devices else match[1].removesuffix("p"))
    return disk if disk in found.devices and disk != name else None


def _emitted(found: _Found) -> DerivedDevices:
    devices = DerivedDevices()
    for name, device in found.devices.items():
        if UNSEEN.fullmatch(name):
            continue
        is_partition = device.parent is not None
        folder = f"/sys/block/{device.parent}/{name}" if is_partition else f"/sys/block/{name}"
        names = devices.folders.setdefault(folder, set())
        for leaf, reply in device.files.items():
            if leaf != "start" or is_partition:
                devices.files[f"{folder}/{leaf}"] = reply
                names.add(leaf.partition("/")[0])
        if is_partition:
            devices.folders.setdefault(f"/sys/block/{device.parent}", set()).add(name)
            continue
        devices.folders.setdefault("/sys/block", set()).add(name)
        if device.place is not None:
            devices.links[folder] = device.place
        _add_kind(names, name, device)
        if device.below is not None:
            names.add("slaves")
            devices.folders[f"{folder}/slaves"] = device.below
    return devices


def _add_kind(names: set[str], name: str, device: _Device) -> None:
    """What the folder of a device of such a place or name holds; hardware and loop devices stand on nothing."""
    place = device.place.text if device.place else ""
    if place:
        hardware = not place.startswith("../devices/virtual/") or "/nvme-subsystem/" in place
    else:
        hardware = _HARDWARE.fullmatch(name) is not None
    if hardware:
        names.add("device")
    if hardware or _ON_NOTHING.fullmatch(name):
        device.below = device.below or set()
    for kind in ("dm-", "md", *(["loop"] if device.in_use else [])):
        if name.startswith(kind):
            names.add(kind.removesuffix("-"))
