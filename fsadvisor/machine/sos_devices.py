"""What sos did not copy from /sys/block, but tells elsewhere: names, numbers and sizes of block devices.

Which devices lie under which comes from `lsblk -O -P` (KNAME, PKNAME), the rest from udev's database and
/proc/partitions. The replies name these sources. A folder appears here only where all that readers look for in it
is told: without lsblk, no `slaves` folder is listed, and nobody may think that there is nothing below.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct, field

from fsadvisor.machine import sources
from fsadvisor.machine.port import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

LSBLK = "lsblk -O -P"
PARTITIONS = "/proc/partitions"
_SECTORS_PER_BLOCK = 2
_PARTITION_LINE = re.compile(r"^\s*\d+\s+\d+\s+(\d{1,18})\s+(\S+)$", re.MULTILINE)
_PARENT = re.compile(r'(?:^|\s)(KNAME|PKNAME)="([^"]*)"')


class DerivedDevices(Struct, frozen=True):
    """Files, folders and links below /sys/block as they must have been."""

    files: dict[str, Reply] = field(default_factory=dict)
    folders: dict[str, set[str]] = field(default_factory=dict)
    links: dict[str, Reply] = field(default_factory=dict)


def derived_devices(udev: str, partitions: str, lsblk: str) -> DerivedDevices:
    """Put together what the three texts tell; an empty text tells nothing."""
    devices = DerivedDevices()
    sizes = {name: int(blocks) * _SECTORS_PER_BLOCK for blocks, name in _PARTITION_LINE.findall(partitions)}
    for record in udev.split("\n\n"):
        lines = record.strip().split("\n")
        properties = dict(line[3:].split("=", 1) for line in lines if line.startswith("E: ") and "=" in line)
        if lines[0].startswith("P: /devices/"):
            _add(devices, lines[0].removeprefix("P: "), properties, sizes)
    if lsblk:
        _add_slaves(devices, lsblk)
    return devices


def _add(devices: DerivedDevices, path: str, properties: Mapping[str, str], sizes: Mapping[str, int]) -> None:
    *_, parent, name = path.split("/")
    is_partition = properties.get("DEVTYPE") == "partition"
    folder = f"/sys/block/{parent}/{name}" if is_partition else f"/sys/block/{name}"
    told = {
        "dev": (f"{properties.get('MAJOR')}:{properties.get('MINOR')}" if "MAJOR" in properties else None),
        "partition": properties.get("PARTN"),
        "dm/name": properties.get("DM_NAME"),
        "dm/uuid": properties.get("DM_UUID"),
    }
    for leaf, text in told.items():
        if text is not None:
            devices.files[f"{folder}/{leaf}"] = Reply(f"{text}\n", sources.UDEV)
            devices.folders.setdefault(folder, set()).add(leaf.partition("/")[0])
    if name in sizes:
        devices.files[f"{folder}/size"] = Reply(f"{sizes[name]}\n", PARTITIONS)
        devices.folders.setdefault(folder, set()).add("size")
    if is_partition:
        devices.folders.setdefault(f"/sys/block/{parent}", set()).add(name)
        return
    devices.folders.setdefault("/sys/block", set()).add(name)
    devices.links[folder] = Reply(f"..{path}", sources.UDEV)
    if not path.startswith("/devices/virtual/"):
        devices.folders.setdefault(folder, set()).add("device")


def _add_slaves(devices: DerivedDevices, lsblk: str) -> None:
    names = devices.folders.get("/sys/block", set())
    for name in names:
        devices.folders[f"/sys/block/{name}/slaves"] = set()
        devices.folders.setdefault(f"/sys/block/{name}", set()).add("slaves")
    for line in lsblk.splitlines():
        told = dict(_PARENT.findall(line))
        if told.get("PKNAME") and told.get("KNAME") in names:
            devices.folders[f"/sys/block/{told['KNAME']}/slaves"].add(told["PKNAME"])
