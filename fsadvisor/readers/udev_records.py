"""udev's records of devices.

parse_udev_export: udev's properties of devices: `udevadm info --export-db`, and `udevadm info` of one or more devices.

Written against systemd 252; older versions print P N L S E alone, newer ones more letters (udevadm(8) lists them).
A blank line or the next `P:` ends a device. Values are not escaped: a property that holds a line feed goes on in a
line of its own; it is left unread, as is a last line without its end (the output was cut). One pass over the text,
so that a thousand disks cost what they should.

    P: /devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda
    N: sda
    S: disk/by-path/pci-0000:00:17.0-ata-1
    E: DEVNAME=/dev/sda
    E: ID_ATA_WRITE_CACHE_ENABLED=1

https://man7.org/linux/man-pages/man8/udevadm.8.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.readers.parsing import refusal, unread_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.facts import Unknown

_LINE = re.compile(r"([A-Z]): (.*)", re.DOTALL)


class UdevDevice(Struct, frozen=True, kw_only=True):
    """One device."""

    path: str
    """Below /sys: '/devices/…/block/sda'."""
    name: str | None
    """Device node below /dev: 'sda'; None for a device without a node."""
    links: tuple[str, ...]
    """Symbolic links below /dev: 'disk/by-path/…'."""
    properties: tuple[tuple[str, str], ...]
    """(key, value), each key once, in the order of the output."""

    def get(self, key: str) -> str | None:
        """The value of a property, or None where the device has no such property."""
        return next((value for name, value in self.properties if name == key), None)


class UdevExport(Struct, frozen=True, kw_only=True):
    """The devices in the order of the output."""

    devices: tuple[UdevDevice, ...]
    unread: tuple[str, ...] = ()


def parse_udev_export(text: str) -> UdevExport | Unknown:
    """Read the devices of any subsystem; a machine may have none."""
    devices: list[UdevDevice] = []
    unread: list[str] = []
    for lines in _blocks(text, unread):
        device = _device(lines, unread)
        if device is not None:
            devices.append(device)
    if unread and not devices:
        return refusal(text, "no devices of udevadm")
    return UdevExport(devices=tuple(devices), unread=unread_pieces(unread))


def _blocks(text: str, unread: list[str]) -> Iterator[list[tuple[str, str]]]:
    """The (letter, value) lines of each device; what has no such form goes to `unread`."""
    *lines, cut = text.split("\n")
    block: list[tuple[str, str]] = []
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None and line:
            unread.append(line)
            if block and block[-1][0] == "E":
                block.pop()
            continue
        if block and (match is None or match[1] == "P"):
            yield block
            block = []
        if match is not None:
            block.append((match[1], match[2]))
    if cut:
        unread.append(cut)
    if block:
        yield block


def _device(lines: list[tuple[str, str]], unread: list[str]) -> UdevDevice | None:
    """The device that begins with `P:`, or None where there is no such line."""
    values = dict(lines)
    if lines[0][0] != "P":
        unread.extend(f"{letter}: {value}" for letter, value in lines)
        return None
    pairs = [line.partition("=") for letter, line in lines if letter == "E"]
    return UdevDevice(
        path=values["P"],
        name=values.get("N") or None,
        links=tuple(value for letter, value in lines if letter == "S"),
        properties=tuple({key: value for key, _, value in pairs}.items()),
    )
