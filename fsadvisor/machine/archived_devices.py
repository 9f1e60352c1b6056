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

from fsadvisor.machine import archived_logs, port
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

_PARTITION_LINE: Final = re.compile(r"^[ \t]*(\d{1,9})[ \t]+(\d{1,9})[ \t]+(\d{1,18})[ \t]+(\S+)$", re.MULTILINE)
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


class _DeviceTable:
    """All devices by the kernel's name, filled by one source after another; the first word stays."""

    def __init__(self) -> None:
        self.devices: dict[str, _Device] = {}
        self._by_number: dict[str, str] = {}
        self._by_mapped: dict[str, str] = {}

    def add_file(self, name: str, leaf: str, text: object, source: str) -> None:
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

    def add_below(self, name: str, below: set[str]) -> None:
        """Some or all of what is right below a device."""
        device = self.devices.setdefault(name, _Device())
        device.below = (device.below or set()) | below


def derived_devices(file: Text, output: Text, copied: Mapping[str, str]) -> DerivedDevices:
    """Put together what an archive tells; `copied` are the links of /sys/block that it has itself, if any."""
    table = _DeviceTable()
    for name, target in copied.items():
        table.devices[name] = _Device(place=Reply(target, f"/sys/block/{name}"))
    _from_udev(table, output(port.UDEV_SOURCE))
    for major, minor, blocks, name in _PARTITION_LINE.findall(file(PARTITIONS)):
        table.add_file(name, "dev", f"{major}:{minor}", PARTITIONS)
        table.add_file(name, "size", int(blocks) * 2, PARTITIONS)
    listed = next(filter(None, map(output, _LISTINGS)), "")
    for name, path in _LINK.findall(listed):
        device = table.devices.setdefault(name, _Device())
        device.place = device.place or Reply(f"..{path}", _LISTINGS[0])
    _from_dmsetup_info(table, output(_INFO))
    _from_pairs(table, output(PAIRS))
    _from_tree(table, output(TREE))
    _from_multipath(table, output("multipath -ll") or output("multipath -l"))
    _from_tables(table, output(_TABLE))
    _from_mdstat(table, file(_MDSTAT))
    for name, backing in _LOOP.findall(output("losetup -a")):
        table.add_file(name, "loop/backing_file", backing, "losetup -a")
    _from_report(table, output(_REPORT))
    _from_columns(table, output)
    _from_parted(table, output)
    for name, device in table.devices.items():
        if device.parent is None and device.place is None:
            device.parent = _parent_by_name(name, table)
    return _emitted(table)


def devices_in_log(log: Reply) -> DerivedDevices:
    """The disks that the kernel named as it found them, where nothing else tells of any."""
    table = _DeviceTable()
    for disk, sectors, parts in archived_logs.disks(log.text):
        table.devices.setdefault(disk, _Device())
        if sectors:
            table.add_file(disk, "size", sectors, log.source)
        for part in parts:
            table.devices.setdefault(part, _Device()).parent = disk
    return _emitted(table)


def _from_udev(table: _DeviceTable, udev: str) -> None:
    for record in udev.split("\n\n"):
        lines = record.strip().split("\n")
        properties = dict(line[3:].split("=", 1) for line in lines if line.startswith("E: ") and "=" in line)
        if not lines[0].startswith("P: /devices/") or properties.get("SUBSYSTEM", "block") != "block":
            continue
        path = lines[0].removeprefix("P: ")
        *_, parent, name = path.split("/")
        device = table.devices.setdefault(name, _Device())
        if properties.get("DEVTYPE") == "partition" or "/block/" in path.rpartition("/")[0]:
            device.parent = parent
        else:
            device.place = device.place or Reply(f"..{path}", port.UDEV_SOURCE)
        if "MAJOR" in properties:
            table.add_file(name, "dev", f"{properties['MAJOR']}:{properties.get('MINOR')}", port.UDEV_SOURCE)
        for leaf, key in (("partition", "PARTN"), ("dm/name", "DM_NAME"), ("dm/uuid", "DM_UUID")):
            if key in properties:
                table.add_file(name, leaf, properties[key], port.UDEV_SOURCE)


def _from_dmsetup_info(table: _DeviceTable, text: str) -> None:
    heading, _, rows = text.partition("\n")
    columns = heading.split()
    if columns[:3] != ["Name", "Maj", "Min"]:
        return
    for row in rows.splitlines():
        cells = row.split()
        if len(cells) < len(columns) - 1 or not (cells[1] + cells[2]).isdigit() or not _MAPPED_NAME.fullmatch(cells[0]):
            continue
        name = table.numbered(f"{cells[1]}:{cells[2]}") or f"dm-{cells[2]}"
        table.add_file(name, "dev", f"{cells[1]}:{cells[2]}", _INFO)
        table.add_file(name, "dm/name", cells[0], _INFO)
        if columns[-1] == "UUID" and len(cells) == len(columns):
            table.add_file(name, "dm/uuid", cells[-1], _INFO)


def _from_pairs(table: _DeviceTable, text: str) -> None:
    once = ' MOUNTPOINTS="' in text or ' FSVER="' in text
    for line in text.splitlines():
        row: dict[str, str] = dict(_PAIR.findall(line))
        name, parent = row.get("KNAME"), row.get("PKNAME")
        if not name:
            continue
        number = row.get("MAJ:MIN", row.get("MAJ_MIN", "")).strip()
        if number:
            table.add_file(name, "dev", number, PAIRS)
        for key in ("MODEL", "VENDOR", "REV"):
            value: str = re.sub(r"\\x([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), row.get(key, ""))
            if value := value.strip():
                table.add_file(name, f"device/{key.lower()}", value, PAIRS)
        _set_below(table, name, parent or None, whole=not once)


def _set_below(table: _DeviceTable, name: str, parent: str | None, *, whole: bool) -> None:
    """A device in a list: a partition belongs to its disk, any other stands on its parent."""
    device = table.devices.setdefault(name, _Device())
    device.in_use = True
    if parent and not name.startswith("dm-") and _is_part_of(name, parent):
        device.parent = parent
    elif whole:
        table.add_below(name, {parent} if parent else set())


def _from_tree(table: _DeviceTable, text: str) -> None:
    above: list[tuple[int, str]] = []
    for column, shown, cells in _rows(text):
        number = cells.get("MAJ:MIN", "")
        if not _NUMBER.fullmatch(number):
            continue
        name = table.name_of(number, cells.get("KNAME", shown), cells.get("TYPE"))
        table.add_file(name, "dev", number, TREE)
        if name.startswith("dm-") and _MAPPED_NAME.fullmatch(shown) and shown != name:
            table.add_file(name, "dm/name", shown, TREE)
        while above and above[-1][0] >= column:
            above.pop()
        _set_below(table, name, above[-1][1] if above else None, whole=True)
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


def _from_tables(devices: _DeviceTable, text: str) -> None:
    for line in text.splitlines():
        mapped, colon, table = line.partition(": ")
        name = devices.mapped(mapped)
        if colon and name is not None:
            below = {devices.numbered(number) for number in _NUMBER.findall(table)}
            if None not in below:
                devices.add_below(name, {it for it in below if it})


def _from_multipath(table: _DeviceTable, text: str) -> None:
    """`mpatha (WWID) dm-2 VENDOR,PRODUCT`, then a path a line: its place, name and number."""
    device = ""
    for line in text.splitlines():
        if top := _MULTIPATH.match(line):
            device = top[3]
            table.add_file(device, "dm/name", top[1], "multipath -ll")
            table.add_file(device, "dm/uuid", f"mpath-{top[2] or top[1]}", "multipath -ll")
        elif device and (path := _PATH.match(line)):
            table.add_below(device, {table.name_of(path[2], path[1])})


def _from_mdstat(table: _DeviceTable, text: str) -> None:
    lines = text.splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=False):
        if not (array := _ARRAY.match(line)):
            continue
        name, level, members = array.groups()
        table.add_below(name, set(_MEMBER.findall(members)))
        if level:
            table.add_file(name, "md/level", level, _MDSTAT)
        if (disks := _DISKS.search(after)) and level in _REDUNDANT:
            table.add_file(name, "md/raid_disks", int(disks[1]), _MDSTAT)
            table.add_file(name, "md/degraded", int(disks[1]) - int(disks[2]), _MDSTAT)


def _from_report(table: _DeviceTable, text: str) -> None:
    for ahead, sector, start, size, name in _REPORT_LINE.findall(text):
        if name not in table.devices and not _HARDWARE.fullmatch(name):
            continue
        table.add_file(name, "size", int(size) // 512, _REPORT)
        table.add_file(name, "start", start, _REPORT)
        table.add_file(name, "queue/read_ahead_kb", int(ahead) // 2, _REPORT)
        table.add_file(name, "queue/logical_block_size", sector, _REPORT)


def _from_columns(table: _DeviceTable, output: Text) -> None:
    """What `lsblk -t` and `lsblk -D` have before their first cell that may be empty."""
    leaves = {"ALIGNMENT": "alignment_offset", "PHY-SEC": "queue/physical_block_size", "ROTA": "queue/rotational"}
    for _, shown, cells in _rows(output("lsblk -t")):
        name = table.name_of(None, shown)
        for column, leaf in leaves.items():
            if name in table.devices and cells.get(column, "").isdigit():
                table.add_file(name, leaf, cells[column], "lsblk -t")
    for _, shown, cells in _rows(output("lsblk -D")):
        name, most = (
            table.name_of(None, shown),
            re.fullmatch(r"(\d{1,6})(?:\.\d+)?([BKMGT])", cells.get("DISC-MAX", "")),
        )
        if name in table.devices and most:
            table.add_file(name, "queue/discard_max_bytes", int(most[1]) << _UNITS[most[2]], "lsblk -D")


def _from_parted(table: _DeviceTable, output: Text) -> None:
    """The vendor and model that the kernel has; parted tells them for every disk, and udev may not have been asked."""
    for name in [it for it in table.devices if _HARDWARE.fullmatch(it)]:
        for command in (f"parted -s /dev/{name} unit s print", f"parted -s /dev/{name} print"):
            if match := _PARTED.search(output(command)):
                vendor, model = match[1].split(" ", 1) if match[2] == "scsi" and " " in match[1] else ("", match[1])
                table.add_file(name, "device/model", model, command)
                if vendor:
                    table.add_file(name, "device/vendor", vendor, command)


def _is_part_of(name: str, disk: str) -> bool:
    return re.fullmatch(rf"{re.escape(disk)}p?\d+", name) is not None


def _parent_by_name(name: str, table: _DeviceTable) -> str | None:
    """The disk of a partition of which only the name is told."""
    match = _PART.fullmatch(name)
    disk = match and (match[1] if match[1] in table.devices else match[1].removesuffix("p"))
    return disk if disk in table.devices and disk != name else None


def _emitted(table: _DeviceTable) -> DerivedDevices:
    devices = DerivedDevices()
    for name, device in table.devices.items():
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
