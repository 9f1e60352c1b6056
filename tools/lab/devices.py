"""The disks that a guest can attach: how QEMU is told, and where the guest finds them.

Everything is on the PCI bus from the start, but no driver touches it before a scenario attaches it by name, so each
scenario, and the machine it records, has only the disks it names. The guest imports this table, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

SHARES = ("0000:00:02.0", "0000:00:03.0", "0000:00:04.0")
"""Where the root, the kernel's tree and the folder of results are."""


Drive: TypeAlias = Callable[[str], tuple[str, str]]
"""An image's name into options for QEMU."""


@dataclass(frozen=True)
class Device:
    """A controller with its disks."""

    address: str
    """The PCI address, as in /sys/bus/pci/devices."""
    driver: str
    """The driver's name in /sys/bus/pci/drivers."""
    argv: tuple[str, ...]
    """Options for QEMU; {NAME} stands for the path of the image NAME."""
    images: tuple[tuple[str, int], ...]
    """Name and MiB of each image, made as a sparse file."""
    modules: tuple[str, ...] = ()
    """Modules to load before it is attached, the driver's first."""


def _drive(image: str, ident: str = "", more: str = "") -> tuple[str, str]:
    """A drive whose data QEMU never flushes: the lab's images die with the guest."""
    return "-drive", f"if=none,id={ident or image},format=raw,cache=unsafe,discard=unmap,file={{{image}}}{more}"


UNREADABLE_SECTOR = 65536
"""Which of a failing drive's sectors no read gets."""


def _failing(image: str) -> tuple[str, str]:
    """A drive with a sector that can't be read, by QEMU's blkdebug."""
    error = {"event": "none", "iotype": "read", "errno": 5, "sector": UNREADABLE_SECTOR}
    rules = ",".join(f"file.inject-error.0.{name}={value}" for name, value in error.items())
    file = f"file.driver=blkdebug,file.image.driver=file,file.image.filename={{{image}}}"
    return "-drive", f"if=none,id={image},format=raw,cache=unsafe,{file},{rules}"


def _nvme(name: str, slot: int, bus: int, megabytes: int, namespace: str = "", drive: Drive = _drive) -> Device:
    """An NVMe controller with one namespace, behind a PCIe port of its own."""
    return Device(
        f"0000:{bus:02x}:00.0",
        "nvme",
        (
            *("-device", f"pcie-root-port,id=port-{name},chassis={bus},addr={slot:#x}"),
            *drive(name),
            *("-device", f"nvme,id={name},bus=port-{name},serial=FSADV{bus:04d}"),
            *("-device", f"nvme-ns,bus={name},drive={name}{namespace}"),
        ),
        ((name, megabytes),),
        ("nvme",),
    )


def _scsi(name: str, slot: int, disks: tuple[tuple[str, str], ...], megabytes: int = 512) -> Device:
    """A virtio-scsi controller: (disk's image, its properties) in the order of the disks' targets."""
    argv: list[str] = ["-device", f"virtio-scsi-pci,id={name},addr={slot:#x}"]
    for target, (image, properties) in enumerate(disks):
        argv += [*_drive(image), "-device", f"scsi-hd,bus={name}.0,scsi-id={target},drive={image},{properties}"]
    images = tuple((image, megabytes) for image, _ in disks)
    return Device(f"0000:00:{slot:02x}.0", "virtio-pci", tuple(argv), images, ("virtio_scsi", "sd_mod", "sg"))


def _sata(name: str, slot: int, disks: tuple[tuple[str, str], ...], drive: Drive = _drive) -> Device:
    """An AHCI controller with ATA disks."""
    argv: list[str] = ["-device", f"ahci,id={name},addr={slot:#x}"]
    for port, (image, properties) in enumerate(disks):
        argv += [*drive(image), "-device", f"ide-hd,bus={name}.{port},drive={image},{properties}"]
    images = tuple((image, 512) for image, _ in disks)
    return Device(f"0000:00:{slot:02x}.0", "ahci", tuple(argv), images, ("ahci", "sd_mod", "sg"))


def _virtio(name: str, slot: int, properties: str) -> Device:
    return Device(
        f"0000:00:{slot:02x}.0",
        "virtio-pci",
        (*_drive(name), "-device", f"virtio-blk-pci,drive={name},addr={slot:#x},serial={name.upper()}{properties}"),
        ((name, 512),),
        ("virtio_blk",),
    )


_TWO_PATHS = "share-rw=on,vendor=IBM,product=2107900,ver=.470,serial=FSADVPATH,wwn=0x5000c500fade0001"


def _path(name: str, slot: int) -> Device:
    """One of the controllers that lead to the same SAS disk."""
    return Device(
        f"0000:00:{slot:02x}.0",
        "virtio-pci",
        (
            *("-device", f"virtio-scsi-pci,id={name},addr={slot:#x}"),
            *_drive("two-paths", name, ",file.locking=off"),
            "-device",
            f"scsi-hd,bus={name}.0,drive={name},{_TWO_PATHS}",
        ),
        (("two-paths", 512),),
        ("virtio_scsi", "sd_mod", "sg"),
    )


_SAS_DISK = "rotation_rate=7200,vendor=SEAGATE,product=ST4000NM0034,ver=E004"

DEVICES = {
    "nvme": _nvme("nvme", 0x10, 1, 768),
    "nvme-4k": _nvme("nvme-4k", 0x11, 2, 512, ",logical_block_size=4096,physical_block_size=4096"),
    "nvme-zoned": _nvme(
        "nvme-zoned", 0x12, 3, 512, ",zoned=true,zoned.zone_size=16M,zoned.max_open=8,zoned.max_active=8"
    ),
    "sata-ssd": _sata(
        "sata-ssd",
        0x05,
        (
            ("evo", "model=Samsung SSD 870 EVO 1TB,ver=SVT02B6Q,serial=S6PUNX0T000001,rotation_rate=1"),
            ("pm893", "model=SAMSUNG MZ7L3960HCJR-00A07,ver=JXTC604Q,serial=S662NX0T000001,rotation_rate=1"),
        ),
    ),
    "sata-hdd": _sata(
        "sata-hdd",
        0x06,
        (
            ("red", "model=WDC WD40EFRX-68N32N0,ver=82.00A82,serial=WD-WCC7K0000001,rotation_rate=5400"),
            (
                "red-through",
                "model=WDC WD40EFRX-68N32N0,ver=82.00A82,serial=WD-WCC7K0000002,rotation_rate=5400,write-cache=off",
            ),
        ),
    ),
    "sas-hdd": _scsi(
        "sas-hdd",
        0x07,
        (("sas-back", f"{_SAS_DISK},serial=Z1Z00001"), ("sas-through", f"{_SAS_DISK},serial=Z1Z00002,write-cache=off")),
    ),
    "sas-ssd": _scsi(
        "sas-ssd",
        0x08,
        (
            ("sas-fua", "rotation_rate=1,vendor=SAMSUNG,product=MZILT960HBHQ0D3,ver=GXA0,serial=S4N00001,dpofua=on"),
            ("sas-512e", f"{_SAS_DISK},serial=Z1Z00003,logical_block_size=512,physical_block_size=4096"),
        ),
        3072,
    ),
    "shelf": _scsi("shelf", 0x09, tuple((f"shelf{n}", f"{_SAS_DISK},serial=Z1Z0001{n}") for n in range(6)), 256),
    "path-a": _path("path-a", 0x0A),
    "path-b": _path("path-b", 0x0B),
    "nvme-failing": _nvme("nvme-failing", 0x13, 4, 64, drive=_failing),
    "sata-failing": _sata(
        "sata-failing",
        0x0E,
        (("constellation", "model=ST8000NM0055-1RM112,ver=SN04,serial=ZA10000T,rotation_rate=7200"),),
        _failing,
    ),
    "virtio": _virtio("virtio", 0x0C, ""),
    "virtio-through": _virtio("virtio-through", 0x0D, ",write-cache=off"),
}
