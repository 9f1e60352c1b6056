"""How a disk is attached, and whether its hardware can be seen from here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.storage import Transport
    from fsadvisor.survey.block import BlockDevice

_BY_NAME: tuple[tuple[str, Transport], ...] = (
    ("nbd", "nbd"),
    ("mmcblk", "mmc"),
    ("pmem", "pmem"),
    ("zram", "ram"),
    ("ram", "ram"),
    ("nullb", "ram"),
    ("nvme", "nvme"),
    ("xvd", "xen"),
)
_BY_FOLDER: tuple[tuple[str, Transport], ...] = (
    (r"/usb\d", "usb"),
    (r"/ata\d", "sata"),
    (r"/(end_device|port)-\d", "sas"),
    (r"/rport-\d", "fc"),
    (r"/session\d", "iscsi"),
    (r"/VMBUS:|/vmbus", "vmbus"),
    (r"/virtio\d", "virtio"),
    (r"/vbd-\d", "xen"),
    (r"/host\d", "scsi"),
)
_BEHIND_SOMETHING = {"virtio", "xen", "vmbus", "nbd", "iscsi", "fc"}
_NAMED: dict[str, int] = {"nvme": 1, "sata": 1, "sas": 2, "scsi": 2, "usb": 2}
"""Disks that have a name, in so many parts: a model, those of SCSI a vendor, too (libata's is always ATA)."""
_INSIDE = {"pcie", "apple-nvme"}
"""What carries NVMe commands within a machine."""

_EMULATED = re.compile(
    r"QEMU|VMware|VBOX|VirtIO|Virtual[ _]disk|Amazon (Elastic|EC2)|Google|nvme_card|PersistentDisk|EphemeralDisk"
    r"|MSFT NVMe|Microsoft NVMe|bhyve|Parallels|Nutanix|Linux$",
    re.IGNORECASE,
)
"""Names that hypervisors, clouds and the kernel's own targets give to disks (facts: cloud model strings)."""


def transport(device: BlockDevice) -> Fact[Transport]:
    """Read it off the device's name and its place in the device tree."""
    source = f"/sys/block/{device.name} -> {device.hardware}"
    for prefix, found in _BY_NAME:
        if device.name.startswith(prefix):
            return Known(found, source)
    for pattern, found in _BY_FOLDER:
        if re.search(pattern, device.hardware):
            return Known(found, source)
    return Unknown(Cause.NOT_EXPOSED, "", source)


def emulated(name: str) -> bool:
    """Whether a vendor or model is one that hypervisors, clouds and the kernel's own targets give."""
    return _EMULATED.search(name) is not None


def virtual(
    device: BlockDevice, kind: Fact[Transport], carrier: Fact[str], named: tuple[Fact[str], Fact[str]], host: Fact[bool]
) -> Fact[bool]:
    """Whether a hypervisor, cloud or network shows the disk, so that its hardware can't be seen.

    `carrier` is what carries NVMe commands to it, `named` the disk's own vendor and model, `host` tells whether the
    machine is a virtual one: inside one, a drive with a vendor's name may be passed through or may be made up. A name
    that is not known may be a hypervisor's.
    """
    if isinstance(kind, Known) and kind.value in _BEHIND_SOMETHING:
        return Known(True, f"attached by {kind.value}")
    if isinstance(carrier, Known) and carrier.value not in _INSIDE:
        return Known(True, f"NVMe over {carrier.value}: its target stands between, and may give it any name")
    made_up = next((it.value for it in named if isinstance(it, Known) and emulated(it.value)), None)
    if made_up is not None:
        return Known(True, f"model {made_up}")
    if isinstance(host, Unknown):
        return host
    if not device.hardware:
        learn = "mount sysfs whole: without the device's place in it, a network drive can't be told from hardware"
        return Unknown(Cause.NOT_EXPOSED, learn, f"/sys/block/{device.name}")
    if look.value(kind) == "nvme" and isinstance(carrier, Unknown):
        return carrier
    if host.value:
        return Unknown(Cause.NOT_EXPOSED, "", f"in a virtual machine ({host.source}) a model name proves nothing")
    if isinstance(kind, Unknown):
        return kind
    nameless = next((it for it in named[-_NAMED.get(kind.value, 0) :] if isinstance(it, Unknown)), None)
    if kind.value in _NAMED and nameless is not None:
        return nameless
    return Known(False, f"attached by {kind.value}, no virtual machine ({host.source})")
