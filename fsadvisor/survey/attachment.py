"""How a disk is attached: its transport, paths of NVMe, the PCIe link; what ATA drives and their bridges say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import real, whole
from fsadvisor.storage.about import TrimCommand
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.smartctl import SmartReport
    from fsadvisor.storage import Disk
    from fsadvisor.storage.about import Transport
    from fsadvisor.survey.block import BlockDevice, BlockTree

_BY_NAME: tuple[tuple[str, Transport], ...] = (
    ("nbd", "nbd"),
    ("rbd", "rbd"),
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
_BEHIND_SOMETHING = {"virtio", "xen", "vmbus", "nbd", "rbd", "iscsi", "fc"}
_NAMED: dict[str, int] = {"nvme": 1, "sata": 1, "sas": 2, "scsi": 2, "usb": 2}
"""Disks that have a name, in so many parts: a model, those of SCSI a vendor, too (libata's is always ATA)."""
_INSIDE = {"pcie", "apple-nvme"}
"""What carries NVMe commands within a machine."""

_EMULATED = late(
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
    device: BlockDevice, kind: Fact[Transport], carrier: Fact[str], named: tuple[Fact[str], ...], host: Fact[bool]
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
    if read_fact.value(kind) == "nvme" and isinstance(carrier, Unknown):
        return carrier
    if host.value:
        return Unknown(Cause.NOT_EXPOSED, "", f"in a virtual machine ({host.source}) a model name proves nothing")
    if isinstance(kind, Unknown):
        return kind
    nameless = next((it for it in named[-_NAMED.get(kind.value, 0) :] if isinstance(it, Unknown)), None)
    if kind.value in _NAMED and nameless is not None:
        return nameless
    return read_fact.shared_fact(False, f"attached by {kind.value}, no virtual machine ({host.source})")


_DRIVE: Final = late(
    r".*/(?:nvme/nvme|nvme-subsystem/nvme-subsys)\d+(?=/)|.*/end_device-[^/]+/target[^/]+(?=/)", re.ASCII
)
_MAKERS: Final = ("SEAGATE", "WDC", "HGST", "TOSHIBA")
"""Of drives: a LUN of theirs is an actuator's half. A LUN of another vendor may be a volume of an array."""


def same_drive(disks: Mapping[str, Disk], tree: BlockTree) -> Mapping[str, Fact[tuple[str, ...]]]:
    """Of each disk by its id that is a part of a drive the others: namespaces of NVMe, LUNs of two actuators."""
    parts: dict[str, list[str]] = {}
    for subject, disk in disks.items():
        place = _DRIVE.match(tree.devices[subject.partition(":")[2]].hardware)
        by_itself = read_fact.value(disk.virtual) is False and read_fact.value(disk.controller) == "none"
        maker = (read_fact.value(disk.vendor) or "").strip()
        if place and by_itself and (read_fact.value(disk.transport) == "nvme" or maker in _MAKERS):
            parts.setdefault(place[0], []).append(subject)
    return {
        one: Known(tuple(it.partition(":")[2] for it in all_parts if it != one), f"/sys/block -> {place}")
        for place, all_parts in parts.items()
        for one in all_parts
        if len(all_parts) > 1
    }


_HEAD = late(r"nvme(\d+)n(\d+)", re.ASCII)
_OVER_NETWORK = "/nvme-fabrics/"


def carrier(machine: Machine, device: BlockDevice) -> Fact[str]:
    """'pcie', 'tcp', 'rdma', 'fc', 'loop', … as the driver calls it; of all paths."""
    if "/nvme-subsystem/" not in device.hardware:
        return _of(machine, device.folder, device.hardware)
    carriers = [_of_path(machine, folder) for folder in path_folders(machine, device)]
    unknown = next((it for it in carriers if isinstance(it, Unknown)), None)
    if unknown is not None:
        return unknown
    words = sorted({it.value for it in carriers if isinstance(it, Known)})
    return read_fact.fact_of(" and ".join(words) or None, f"{device.hardware}: its paths")


def paths_of(machine: Machine, device: BlockDevice) -> list[str]:
    """The places in sysfs of an NVMe disk's paths; of any other disk its own."""
    if "/nvme-subsystem/" not in device.hardware:
        return [device.hardware]
    links = (machine.link(folder) for folder in path_folders(machine, device))
    return [it.text for it in links if not isinstance(it, Unknown)]


def path_folders(machine: Machine, device: BlockDevice) -> list[str]:
    """Below /sys/block the folders of an NVMe disk's paths, which are hidden disks; of any other disk its own."""
    if "/nvme-subsystem/" not in device.hardware:
        return [device.folder]
    names = read_fact.names(machine.entries("/sys/block"))
    return [f"/sys/block/{name}" for name in names if _is_path(name, device.name)]


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
    word = read_fact.text(machine, f"{folder}/device/transport")
    if isinstance(word, Known) and word.value:
        return word
    return (
        Known("fabrics", f"{folder} -> {hardware}")
        if _OVER_NETWORK in hardware
        else read_fact.fact_of(None, f"{folder}/device/transport")
    )


_FUNCTION = late(r"\.\./(devices/pci.*/[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/nvme/")
_PORT = late(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


class Link(Struct, frozen=True):
    """Transfers per second of a lane, and how many lanes."""

    gigatransfers: float
    lanes: int

    def __str__(self) -> str:
        return f"{self.gigatransfers:g} GT/s x{self.lanes}"


def pcie_link(machine: Machine, device: BlockDevice) -> tuple[Fact[str], Fact[bool]]:
    """The link in use, '8 GT/s x4', and whether it runs below what both the drive and the port above it can do."""
    current = _drive_link(machine, device, "current")
    return read_fact.derive(current, str), _reduced(machine, device, current)


def _reduced(machine: Machine, device: BlockDevice, current: Fact[Link]) -> Fact[bool]:
    own, slot = _drive_link(machine, device, "max"), _port_link(machine, device)
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
        return Unknown(Cause.NOT_EXPOSED, "", f"where {device.folder} leads to: {device.hardware or 'not told'}")
    return _link(machine, function, which)


def _port_link(machine: Machine, device: BlockDevice) -> Fact[Link]:
    port = (_function(device) or "").rpartition("/")[0]
    if not _PORT.fullmatch(port.rpartition("/")[2]):
        return Unknown(Cause.NOT_EXPOSED, "", f"{device.hardware}: no port above the drive")
    return _link(machine, port, "max")


def _link(machine: Machine, function: str, which: str) -> Fact[Link]:
    speed = read_fact.text(machine, f"{function}/{which}_link_speed")
    width = read_fact.text(machine, f"{function}/{which}_link_width")
    if isinstance(speed, Unknown):
        return speed
    if isinstance(width, Unknown):
        return width
    gigatransfers, lanes = real(speed.value.partition(" ")[0]), whole(width.value)
    source = f"{function}/{which}_link_speed"
    return Known(Link(gigatransfers, lanes), source) if gigatransfers and lanes else read_fact.fact_of(None, source)


_PLACE = late(r"/ata(\d+)/host\d+/target\d+:(\d+):(\d+)/")
_QUEUED_TRIM_TROUBLE = late(
    r"(Micron[_ ]?(M5[015]0|1100)|Crucial_CT\d+(M5[05]0|MX100)|Samsung SSD 8[4-7]0\b|SAMSUNG ?MZ7LH"
    r"|(Seagate IronWolf )?ZA\d+NM10\d{3})"
)
"""Families in libata's list of drives without queued TRIM (drivers/ata/libata-core.c, Linux 7.2), and Seagate's
IronWolf 110, of which corruption was reported though it is not in that list."""
_CUT_BEFORE_IT_TELLS = late(r"Crucial_CT\d+(M5?|MX1?0?)|Seagate IronWolf")
_SCSI_MODEL = 16
"""Characters of a model that the kernel passes on from a SATA drive (libata: SCSI INQUIRY); of firmware, the last 4."""


def whole_name(model: Fact[str], smart: SmartReport | Unknown, by_udev: str | None) -> Fact[str]:
    """The model as the drive itself has it, where the kernel cut it: smartctl's word, else udev's."""
    if isinstance(model, Unknown):
        return model
    own = None if isinstance(smart, Unknown) else smart.model_name
    escaped = (by_udev or "").replace("\\x20", " ").strip()
    for name, source in ((own, "smartctl model"), (escaped, "udev ID_MODEL_ENC")):
        if name and name != model.value and is_same_model(name, model.value):
            return Known(name, source)
    return model


def is_same_model(name: str | None, other: str | None) -> bool:
    """Whether two names are of one model, where either may be cut."""
    if not name or not other:
        return (name or None) == (other or None)
    short, long = sorted((name, other), key=len)
    return short == long or (len(long) > _SCSI_MODEL and short == long[:_SCSI_MODEL].strip())


def whole_firmware(revision: Fact[str], smart: SmartReport | Unknown) -> Fact[str]:
    """The firmware revision, where the kernel passes on its end only."""
    own = None if isinstance(smart, Unknown) else smart.firmware_version
    if own and isinstance(revision, Known) and own != revision.value and own.endswith(revision.value):
        return Known(own, "smartctl firmware version")
    return revision


def trim_command(machine: Machine, device: BlockDevice) -> Fact[TrimCommand]:
    """The kernel's choice for the drive; behind a port multiplier the channel tells the drive."""
    match = _PLACE.search(device.hardware)
    if match is None:
        return Unknown(Cause.NOT_EXPOSED, "", device.hardware)
    port, channel, target = match.groups()
    name = f"dev{port}.{target}" if channel == "0" else f"dev{port}.{channel}.{target}"
    return read_fact.choice(read_fact.text(machine, f"/sys/class/ata_device/{name}/trim"), TrimCommand)


def queued_trim_trouble(model: Fact[str]) -> Fact[bool]:
    """Whether its model belongs to a family that mishandles queued TRIM."""
    if isinstance(model, Unknown):
        return model
    if _CUT_BEFORE_IT_TELLS.fullmatch(model.value):
        learn = "run as root with smartmontools installed: the kernel cuts the model to 16 characters"
        return Unknown(Cause.NO_TOOL, learn, f"model {model.value}")
    return read_fact.shared_fact(bool(_QUEUED_TRIM_TROUBLE.match(model.value)), f"model {model.value}")


_SESSION: Final = late(r"/(session\d+)/")
_CONTROLLER: Final = late(r"/nvme-fabrics/ctl/(nvme\d+)/")
NO_END: Final = 0


def outage_seconds(machine: Machine, device: BlockDevice) -> Fact[int]:
    """How long a disk of the network holds requests when its session or controller is lost, before it fails them.

    The longest of its paths; NO_END where one is never given up. Of a disk below multipath another path takes over, and
    a short time is right: see multipath.recovery.

    https://github.com/open-iscsi/open-iscsi/blob/master/README (8.2), drivers/nvme/host/fabrics.c (ctrl_loss_tmo)
    """
    if session := _SESSION.search(device.hardware):
        files = [f"/sys/class/iscsi_session/{session[1]}/recovery_tmo"]
    else:
        controllers = (_CONTROLLER.search(f"{place}/") for place in paths_of(machine, device))
        files = [f"/sys/class/nvme/{it[1]}/ctrl_loss_tmo" for it in controllers if it is not None]
    if not files:
        return NOT_APPLICABLE
    told = [_timeout(machine, file) for file in files]
    unknown = next((it for it in told if isinstance(it, Unknown)), None)
    known = [it for it in told if isinstance(it, Known)]
    endless = next((it for it in known if it.value == NO_END), None)
    return endless or unknown or max(known, key=lambda it: it.value)


def _timeout(machine: Machine, file: str) -> Fact[int]:
    """open-iscsi's -1 and the NVMe driver's 'off' are no end."""
    word = read_fact.text(machine, file)
    if read_fact.value(word) in ("off", "-1"):
        return read_fact.derive(word, lambda _: NO_END)
    return read_fact.number(machine, file)
