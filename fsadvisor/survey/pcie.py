"""The PCI Express link of an NVMe drive: what it runs at, and what drive and slot could do.

https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-bus-pci (current_link_speed, max_link_width, …)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers.parsing import real, whole
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.block import BlockDevice

_FUNCTION = re.compile(r"\.\./(devices/pci.*/[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/nvme/")
_PORT = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


@dataclass(frozen=True, slots=True)
class Link:
    """Transfers per second of a lane, and how many lanes."""

    gigatransfers: float
    lanes: int

    def __str__(self) -> str:
        return f"{self.gigatransfers:g} GT/s x{self.lanes}"


def runs_at(machine: Machine, device: BlockDevice) -> Fact[str]:
    """The link in use, '8 GT/s x4'."""
    return look.derive(_drive_link(machine, device, "current"), str)


def reduced(machine: Machine, device: BlockDevice) -> Fact[bool]:
    """Whether the link runs below what both the drive and the port that it is plugged into can do."""
    current, own = _drive_link(machine, device, "current"), _drive_link(machine, device, "max")
    slot = _port_link(machine, device)
    if isinstance(current, Unknown):
        return current
    if isinstance(own, Unknown):
        return own
    if isinstance(slot, Unknown):
        return slot
    lanes = min(own.value.lanes, slot.value.lanes)
    gigatransfers = min(own.value.gigatransfers, slot.value.gigatransfers)
    below = current.value.gigatransfers < gigatransfers or current.value.lanes < lanes
    return Known(below, f"{current.source}: {current.value}; drive {own.value}, slot {slot.value}")


def _function(device: BlockDevice) -> str | None:
    """The drive's PCI function in sysfs; a drive with several paths (nvme-subsystem) shows none."""
    found = _FUNCTION.match(device.hardware)
    return f"/sys/{found[1]}" if found else None


def _drive_link(machine: Machine, device: BlockDevice, which: str) -> Fact[Link]:
    function = _function(device)
    if function is None:
        return Unknown(Cause.NOT_EXPOSED, "", device.hardware)
    return _link(machine, function, which)


def _port_link(machine: Machine, device: BlockDevice) -> Fact[Link]:
    port = (_function(device) or "").rpartition("/")[0]
    if not _PORT.fullmatch(port.rpartition("/")[2]):
        return Unknown(Cause.NOT_EXPOSED, "", f"{device.hardware}: no port above the drive")
    return _link(machine, port, "max")


def _link(machine: Machine, function: str, which: str) -> Fact[Link]:
    speed = look.text(machine, f"{function}/{which}_link_speed")
    width = look.text(machine, f"{function}/{which}_link_width")
    if isinstance(speed, Unknown):
        return speed
    if isinstance(width, Unknown):
        return width
    gigatransfers, lanes = real(speed.value.partition(" ")[0]), whole(width.value)
    source = f"{function}/{which}_link_speed"
    return Known(Link(gigatransfers, lanes), source) if gigatransfers and lanes else look.told(None, source)
