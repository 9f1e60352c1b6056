"""Recorded machines of any size: disks, half of them NVMe and half SATA, with four partitions and mounts each.

Written by the code that `fsadvisor capture` writes with, so that the format has one spelling. What tools print comes
from the readers' own samples in fixtures/outputs.
"""

from __future__ import annotations

import datetime as dt
import json
import uuid
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import port, recorded
from fsadvisor.machine.identities import Identities
from fsadvisor.machine.port import Reply
from fsadvisor.machine.recording import Recording, write_recording
from tools.bench import samples

if TYPE_CHECKING:
    from pathlib import Path

    from fsadvisor.machine.port import Argv

FILESYSTEMS: Final = ("ext4", "xfs", "ext4", "btrfs")
"""One for each partition of a disk."""

_SERVICE_EVERY: Final = 10
"""A database's folder is on one disk in so many."""
_PARTITION_SECTORS: Final = 1 << 28
_FIRST_SECTOR: Final = 2048


class _Invented(Identities):
    """Replaces nothing: a generated machine has no identities."""

    def replace(self, text: str, where: str = "") -> str:  # noqa: ARG002 - the signature is Identities'
        """The text itself."""
        return text


@dataclass(frozen=True, slots=True)
class _Disk:
    """One disk by its place in the list."""

    index: int
    name: str
    partition_prefix: str
    hardware: str
    is_nvme: bool
    major: int

    def partitions(self) -> list[tuple[str, str, str]]:
        """Name, 'major:minor' and filesystem of each."""
        minor = self.index * (len(FILESYSTEMS) + 1) + 1
        return [
            (f"{self.name}{self.partition_prefix}{at + 1}", f"{self.major}:{minor + at}", fs_type)
            for at, fs_type in enumerate(FILESYSTEMS)
        ]


@dataclass(slots=True)
class _Lists:
    """The parts of the answers that speak of all devices at once."""

    mountinfo: list[str] = field(default_factory=list)
    journals: list[str] = field(default_factory=list)
    fstab: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    udev: list[str] = field(default_factory=list)
    lsblk: list[dict[str, str | None]] = field(default_factory=list)
    processes: list[dict[str, object]] = field(default_factory=list)
    io: dict[str, dict[str, int]] = field(default_factory=dict)
    btrfs: list[str] = field(default_factory=list)


def write_machine(folder: Path, disks: int) -> None:
    """Write a recorded machine with so many disks into a new or empty folder."""
    recording = Recording(name=str(folder), root=True, today=dt.date(2026, 1, 1))
    lists = _Lists()
    names = []
    for index in range(disks):
        disk = _disk(index)
        names.append(disk.name)
        _add_disk(recording, lists, disk)
    recording.entries["/sys/block"] = tuple(sorted(names))
    recording.entries["/proc/fs/jbd2"] = tuple(sorted(lists.journals))
    recording.entries["/sys/fs/btrfs"] = (*sorted(lists.btrfs), "features")
    _add_host(recording, lists)
    write_recording(recording, _Invented(), folder)


def write_machine_in_child(folder: Path, disks: int) -> None:
    """The same in a process of its own: the kernel counts a process's peak from what the one held that started it."""
    with ProcessPoolExecutor(1) as pool:
        pool.submit(write_machine, folder, disks).result()


def _disk(index: int) -> _Disk:
    if index % 2:
        name = _sd_name(index // 2)
        hardware = (
            f"../devices/pci0000:00/0000:00:17.0/ata{index + 1}/host{index}/target{index}:0:0/{index}:0:0:0/block"
        )
        return _Disk(index, name, "", f"{hardware}/{name}", is_nvme=False, major=8)
    name = f"nvme{index // 2}n1"
    slot = f"{index // 256:04x}:{index % 256:02x}:00.0"
    hardware = f"../devices/pci0000:80/0000:80:03.1/{slot}/nvme/nvme{index // 2}/{name}"
    return _Disk(index, name, "p", hardware, is_nvme=True, major=259)


def _sd_name(number: int) -> str:
    """Sda … sdz, sdaa …, as the kernel counts."""
    letters = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return f"sd{letters}"


def _add_disk(recording: Recording, lists: _Lists, disk: _Disk) -> None:
    folder = f"/sys/block/{disk.name}"
    partitions = disk.partitions()
    _link(recording, folder, disk.hardware)
    recording.entries[folder] = tuple(sorted([*samples.DISK_ENTRIES, *(name for name, _, _ in partitions)]))
    recording.entries[f"{folder}/slaves"] = ()
    _read(recording, f"{folder}/dev", f"{disk.major}:{disk.index * (len(FILESYSTEMS) + 1)}\n")
    for attribute, text in (samples.NVME_FILES if disk.is_nvme else samples.SATA_FILES).items():
        _read(recording, f"{folder}/{attribute}", text)
    if disk.is_nvme:
        _add_link(recording, f"/sys{disk.hardware.removeprefix('..').partition('/nvme/')[0]}")
    else:
        _read(recording, f"/sys/class/ata_device/dev{disk.index + 1}.0/trim", "unqueued\n")
        address = f"{disk.index}:0:0:0"
        recording.entries[f"{folder}/device/scsi_disk"] = (address,)
        _read(recording, f"{folder}/device/scsi_disk/{address}/cache_type", "write back\n")
    for argv, text in samples.drive_answers(f"/dev/{disk.name}", is_nvme=disk.is_nvme):
        _run(recording, argv, text)
    model = r"EXAMPLE\x20DC900\x201.92TB" if disk.is_nvme else r"EXAMPLE\x20DC480"
    lists.udev.append(f"P: {disk.hardware.removeprefix('..')}\nN: {disk.name}\nE: ID_MODEL_ENC={model}\n")
    lists.lsblk.append({"name": disk.name, "kname": disk.name, "type": "disk", "label": None})
    lists.io[disk.name] = samples.IO_COUNTERS
    for at, (name, number, fs_type) in enumerate(partitions):
        _add_partition(recording, f"{folder}/{name}", number, at)
        _add_filesystem(recording, lists, disk, name, fs_type)
        _add_mount(lists, name, number, fs_type)
    if disk.index % _SERVICE_EVERY == 0:
        _add_service(lists, disk, partitions[2][0])


def _add_link(recording: Recording, slot: str) -> None:
    """A PCIe device's link, and that of the port above it."""
    port = slot.rpartition("/")[0]
    for folder in (slot, port):
        for attribute, text in samples.LINK_FILES.items():
            _read(recording, f"{folder}/{attribute}", text)


def _add_partition(recording: Recording, folder: str, number: str, at: int) -> None:
    _read(recording, f"{folder}/dev", f"{number}\n")
    _read(recording, f"{folder}/start", f"{_FIRST_SECTOR + at * _PARTITION_SECTORS}\n")
    _read(recording, f"{folder}/size", f"{_PARTITION_SECTORS}\n")
    _read(recording, f"{folder}/alignment_offset", "0\n")


def _add_filesystem(recording: Recording, lists: _Lists, disk: _Disk, name: str, fs_type: str) -> None:
    place = _place(name)
    if fs_type == "ext4":
        _read(recording, f"/proc/fs/ext4/{name}/options", samples.EXT4_OPTIONS)
        _read(recording, f"/proc/fs/jbd2/{name}-8/info", samples.JBD2_INFO)
        lists.journals.append(f"{name}-8")
        _read(recording, f"/sys/fs/ext4/{name}/errors_count", "0\n")
    if fs_type == "btrfs":
        uuid = f"00000000-f5ad-4000-8000-{disk.index:012x}"
        folder = f"/sys/fs/btrfs/{uuid}"
        lists.btrfs.append(uuid)
        recording.entries[f"{folder}/devices"] = (name,)
        recording.entries[f"{folder}/features"] = samples.BTRFS_FEATURES
        recording.entries[folder] = samples.BTRFS_ENTRIES
        _read(recording, f"{folder}/devinfo/1/writeable", "1\n")
        recording.entries[f"{folder}/devinfo"] = ("1",)
        _read(recording, f"{folder}/label", f"{name}\n")
        _read(recording, f"{folder}/devinfo/1/error_stats", samples.BTRFS_ERRORS)
    for argv, text in samples.filesystem_answers(fs_type, f"/dev/{name}", place):
        _run(recording, argv, text)
    recording.about_paths[place, recorded.SPACE] = Reply(samples.SPACE, port.space_source(place))


def _add_mount(lists: _Lists, name: str, number: str, fs_type: str) -> None:
    place = _place(name)
    at = len(lists.mountinfo) + 30
    number = f"0:{at}" if fs_type == "btrfs" else number
    options = samples.SUPERBLOCK_OPTIONS[fs_type]
    lists.mountinfo.append(f"{at} 29 {number} / {place} rw,relatime shared:{at} - {fs_type} /dev/{name} {options}\n")
    lists.fstab.append(f"/dev/{name} {place} {fs_type} defaults 0 2\n")
    unit = f"{place.strip('/').replace('/', '-') or '-'}.mount"
    lists.units.append(
        f"Where={place}\nWhat=/dev/{name}\nOptions=rw,relatime\nType={fs_type}\nId={unit}\n"
        f"FragmentPath=/run/systemd/generator/{unit}\nSourcePath=/etc/fstab\n"
    )
    label = f"E: ID_FS_LABEL={name}\nE: ID_FS_UUID={uuid.uuid5(uuid.NAMESPACE_OID, name)}\n"
    lists.udev.append(f"P: /devices/virtual/{name}\nN: {name}\nE: ID_FS_TYPE={fs_type}\n{label}")
    lists.lsblk.append({"name": name, "kname": name, "type": "part", "label": name})


def _add_service(lists: _Lists, disk: _Disk, partition: str) -> None:
    folder = f"{_place(partition)}/db"
    lists.processes.append(
        {"pid": 1000 + disk.index, "name": "postgres", "user": "postgres", "cwd": folder, "paths": [folder]}
    )


def _place(partition: str) -> str:
    return "/" if partition == "nvme0n1p1" else f"/srv/{partition}"


def _add_host(recording: Recording, lists: _Lists) -> None:
    for path, text in samples.HOST_FILES.items():
        _read(recording, path, text)
    _read(recording, "/proc/self/mountinfo", "".join(lists.mountinfo))
    _read(recording, "/etc/fstab", "".join(lists.fstab))
    for path in samples.ABSENT_FILES:
        recording.about_paths[path, recorded.READ] = Unknown(Cause.NOT_EXPOSED, "", path)
    recording.entries.update(samples.HOST_ENTRIES)
    for argv, text in samples.host_answers("\n".join(lists.units), json.dumps({"blockdevices": lists.lsblk})):
        _run(recording, argv, text)
    recording.processes[samples.PROCESS_NAMES] = Reply(json.dumps(lists.processes), port.PROCESSES_SOURCE)
    counters = {"memory": {"total": 1 << 38, "available": 1 << 37}, "io": lists.io}
    recording.asked[recorded.UDEV] = Reply("\n".join([*lists.udev, ""]), port.UDEV_SOURCE)
    recording.asked[recorded.COUNTERS] = Reply(json.dumps(counters), port.COUNTERS_SOURCE)


def _read(recording: Recording, path: str, text: str | None) -> None:
    """What a file said; None for a file that is not there."""
    answer = Unknown(Cause.NOT_EXPOSED, "", path) if text is None else Reply(text, path)
    recording.about_paths[path, recorded.READ] = answer


def _link(recording: Recording, path: str, text: str) -> None:
    recording.about_paths[path, recorded.LINK] = Reply(text, path)


def _run(recording: Recording, argv: Argv, text: str) -> None:
    recording.runs[argv] = Reply(text, port.command_source(argv))
