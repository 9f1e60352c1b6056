"""What carries the commands to an NVMe drive: PCI Express, or a network with another machine at its end.

A drive that several controllers may lead to stands below nvme-subsystem, whatever carries its commands; the hidden
disks nvmeXcYnZ are its paths (drivers/nvme/host/multipath.c).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.block import BlockDevice

_HEAD = re.compile(r"nvme(\d+)n(\d+)", re.ASCII)
_OVER_NETWORK = "/nvme-fabrics/"


def carrier(machine: Machine, device: BlockDevice) -> Fact[str]:
    """'pcie', 'tcp', 'rdma', 'fc', 'loop', … as the driver calls it; of all paths."""
    if "/nvme-subsystem/" not in device.hardware:
        return _of(machine, device.folder, device.hardware)
    names = machine.entries("/sys/block")
    if isinstance(names, Unknown):
        return names
    said = [_of_path(machine, f"/sys/block/{name}") for name in names if _is_path(name, device.name)]
    unknown = next((it for it in said if isinstance(it, Unknown)), None)
    if unknown is not None:
        return unknown
    words = sorted({it.value for it in said if isinstance(it, Known)})
    return look.told(" and ".join(words) or None, f"{device.hardware}: its paths")


def _is_path(name: str, head: str) -> bool:
    match = _HEAD.fullmatch(head)
    return match is not None and re.fullmatch(rf"nvme{match[1]}c\d+n{match[2]}", name) is not None


def _of_path(machine: Machine, folder: str) -> Fact[str]:
    link = machine.link(folder)
    return link if isinstance(link, Unknown) else _of(machine, folder, link.text)


def _of(machine: Machine, folder: str, hardware: str) -> Fact[str]:
    """By the place in sysfs, where that says all; else in the controller's own word."""
    if "/pci" in hardware and _OVER_NETWORK not in hardware:
        return Known("pcie", f"{folder} -> {hardware}")
    if not hardware:
        return Unknown(Cause.NOT_EXPOSED, "", folder)
    word = look.text(machine, f"{folder}/device/transport")
    if isinstance(word, Known) and word.value:
        return word
    return (
        Known("fabrics", f"{folder} -> {hardware}")
        if _OVER_NETWORK in hardware
        else look.told(None, f"{folder}/device/transport")
    )
