"""Whether the device that a mount is configured with is there, and what above a disk orders requests itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import nfs_exports
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types.registry import (
    IN_MEMORY,
    ON_DEVICES,
    OVER_THE_NETWORK,
    OVERLAY,
    TYPES,
    UUID_OF_ONE_DEVICE,
    mount_point_of,
)
from fsadvisor.survey.filesystem_types.zfs import ZFS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Disk, Layer, MemberOf, NfsExported
    from fsadvisor.survey.block import Udev
    from fsadvisor.survey.configured import Configured
    from fsadvisor.survey.inventory import Inventory

_TAGS: Final = {"UUID=": "ID_FS_UUID", "LABEL=": "ID_FS_LABEL"}
_FOLDERS: Final = {"/dev/disk/by-uuid/": "ID_FS_UUID", "/dev/disk/by-label/": "ID_FS_LABEL"}
_PLAIN: Final = late(r"/dev/((?:sd|hd|vd|xvd|nvme|mmcblk|md|loop)[a-z0-9]+)")
_IN_POOLS: Final = frozenset(TYPES) - ON_DEVICES
"""Their mounts name no device, so that any disk may be one of theirs."""
_WITHOUT_A_DEVICE: Final = _IN_POOLS | OVER_THE_NETWORK | IN_MEMORY | {OVERLAY}
_MEMBERS: Final = ("zfs_member", "mpath_member")


_NFSD: Final = "/proc/fs/nfsd/threads"
_MOUNTS: Final = "/proc/self/mountinfo"
"""nfs-server.service mounts the server's own filesystem, and it stays mounted."""


def exported(machine: Machine, points: Container[str], ganesha: Fact[bool]) -> Callable[[str], Fact[NfsExported]]:
    """Of a mount point, how it is exported, by the kernel's server or by NFS-Ganesha; `ganesha`: whether that runs."""
    by_kernel = _by_kernel(machine, points)
    if isinstance(ganesha, Unknown) or not ganesha.value:
        return by_kernel  # what runs is not known: the kernel's answer is as good as it was
    record = read_fact.file_record(machine, nfs_exports.GANESHA_PATH, nfs_exports.parse_ganesha_conf)
    if isinstance(record, Unknown):
        why = record if record.learn else Unknown(Cause.NOT_EXPOSED, "look for NFS-Ganesha's exports", record.source)
        return lambda point: by_kernel(point) if read_fact.value(by_kernel(point)) in ("sync", "async") else why
    writable = {mount_point_of(it.path, points) for it in record.exports if it.writable}

    def exported_at(mount_point: str) -> Fact[NfsExported]:
        kernels = by_kernel(mount_point)
        if read_fact.value(kernels) in ("sync", "async"):
            return kernels
        if mount_point in writable:
            return Known("sync", nfs_exports.GANESHA_PATH)
        if not record.whole:
            return Unknown(Cause.NOT_EXPOSED, "look in the files that it includes", nfs_exports.GANESHA_PATH)
        return kernels

    return exported_at


def _by_kernel(machine: Machine, points: Container[str]) -> Callable[[str], Fact[NfsExported]]:
    """Nothing is exported where no server runs, whatever the table still says."""
    mounts = read_fact.value(read_fact.text(machine, _MOUNTS))
    if mounts is not None and " - nfsd " not in mounts:
        return lambda _: read_fact.shared_fact("no", f"no NFS server: {_MOUNTS}")
    threads = read_fact.number(machine, _NFSD)
    if read_fact.value(threads) == 0:
        return lambda _: read_fact.shared_fact("no", f"no NFS server: {_NFSD}")
    if isinstance(threads, Unknown):
        stopped = threads
        return lambda _: stopped
    table = read_fact.file_record(machine, nfs_exports.ETAB, nfs_exports.parse_nfs_exports)
    if isinstance(table, Unknown):
        unknown = table
        return lambda _: Known("no", f"no {nfs_exports.ETAB}") if read_fact.is_not_there(unknown) else unknown
    found: dict[str, NfsExported] = {}
    for export in table.exports:
        point = mount_point_of(export.path, points)
        if point is not None and "rw" in export.options:
            found[point] = "async" if "async" in export.options or found.get(point) == "async" else "sync"
    if table.unread:
        return lambda point: read_fact.fact_of(found.get(point), nfs_exports.ETAB)
    return lambda point: Known(found.get(point, "no"), nfs_exports.ETAB)


def device_missing(wanted: Configured, udev: Udev, devices: Container[str]) -> Fact[bool]:
    """By its name among the kernel's devices, or by its UUID or label among those that udev knows."""
    if wanted.fs_type in _WITHOUT_A_DEVICE:
        return NOT_APPLICABLE
    what = wanted.what.strip('"').replace('="', "=")
    if name := _PLAIN.fullmatch(what):
        return Known(name[1] not in devices, f"{wanted.where}, /sys/block")
    for start, key in (_TAGS | _FOLDERS).items():
        if what.startswith(start):
            return _by_tag(what.removeprefix(start).strip('"'), key, wanted.where, udev)
    return read_fact.fact_of(None, wanted.where)


_RENUMBERED: Final = late(r"/dev/(?:sd[a-z]+|nvme[0-9]+n)[0-9].*|/dev/sd[a-z]+")
_ONE_FILESYSTEM: Final = UUID_OF_ONE_DEVICE | {"ntfs"}  # which is what udev calls the type of the driver ntfs3
"""The members of an array, of a pool or of a Btrfs have one UUID in common by design."""


def kernel_name(wanted: Configured) -> Fact[bool]:
    """Whether the configuration names a disk by the order in which it was found."""
    return read_fact.fact_of(_RENUMBERED.fullmatch(wanted.what) is not None if wanted.what else None, wanted.where)


def same_uuid(wanted: Configured, udev: Udev) -> Fact[tuple[str, ...]]:
    """The devices that may be meant, where the configuration names a UUID or label that several have."""
    for start, key in (_TAGS | _FOLDERS).items():
        if wanted.what.startswith(start):
            if udev.unread is not None:
                return udev.unread
            value = wanted.what.removeprefix(start).strip('"')
            meant = [
                name
                for name, own in udev.properties.items()
                if own.get(key) == value and own.get("ID_FS_TYPE") in _ONE_FILESYSTEM
            ]
            return Known(tuple(sorted(meant)) if len(meant) > 1 else (), f"{wanted.where}, udev {key}")
    return Known((), wanted.where)


def _by_tag(value: str, key: str, where: str, udev: Udev) -> Fact[bool]:
    if udev.unread is not None:
        return udev.unread
    known = {one[key] for one in udev.properties.values() if key in one}
    if not known:
        return Unknown(Cause.NOT_EXPOSED, "look where udev runs", f"udev {key}")
    return Known(value.lower() not in {one.lower() for one in known}, f"{where}, udev {key}")


def with_sorting(disks: Mapping[str, Disk], inventory: Inventory, layers: Mapping[str, Layer]) -> dict[str, Disk]:
    """The disks, each with whether a multipath device or ZFS stands on it, which orders requests itself."""
    pools = {block.id for block in inventory.blocks.values() if block.type in _IN_POOLS}
    partitions: dict[str, list[str]] = {}
    for device in inventory.tree.devices.values():
        if device.parent is not None:
            partitions.setdefault(device.parent, []).append(device.name)
    multipath = {
        below
        for subject, under in inventory.stack.below.items()
        if subject in layers and read_fact.value(layers[subject].kind) == "dm-multipath"
        for below in under
    }
    found: dict[str, Disk] = {}
    for subject, disk in disks.items():
        name = subject.partition(":")[2]
        properties = [inventory.udev.of(device_name) for device_name in (name, *partitions.get(name, ()))]
        above = inventory.stack.filesystems_on(subject)
        if subject in multipath or pools.intersection(above):
            fact: Fact[bool] = Known(True, "the stack in sysfs")
        else:
            fact = _by_udev(properties, inventory.udev, maybe=bool(pools) and not above)
        found[subject] = replace(disk, sorted_above=fact)
    return found


_REDUNDANT: Final = ("raid1", "raid4", "raid5", "raid6", "raid10")


def with_membership(disks: Mapping[str, Disk], inventory: Inventory, layers: Mapping[str, Layer]) -> dict[str, Disk]:
    """The hard disks, each with whether md with redundancy or ZFS stands on it, which rebuild onto it."""
    arrays = [at for at, layer in layers.items() if read_fact.value(layer.md_level) in _REDUNDANT]
    members = {below for at in arrays for below in inventory.stack.under(at)}
    pools = {block.id for block in inventory.blocks.values() if block.type == ZFS.name}
    pooled = {
        device.parent or device.name
        for device in inventory.tree.devices.values()
        if inventory.udev.of(device.name).get("ID_FS_TYPE") == "zfs_member"
    }

    def member(subject: str) -> Fact[MemberOf]:
        if subject in members:
            return Known("array", "the stack in sysfs")
        if subject.partition(":")[2] in pooled or pools.intersection(inventory.stack.filesystems_on(subject)):
            return Known("pool", "the stack, udev ID_FS_TYPE")
        if pools and inventory.udev.unread is not None:
            return inventory.udev.unread
        return read_fact.shared_fact("neither", "the stack, udev ID_FS_TYPE")

    def with_it(subject: str, disk: Disk) -> Disk:
        if isinstance(disk.rotational, Unknown):
            return replace(disk, member_of=disk.rotational)
        return replace(disk, member_of=member(subject)) if disk.rotational.value else disk

    return {subject: with_it(subject, disk) for subject, disk in disks.items()}


def _by_udev(properties: Sequence[Mapping[str, str]], udev: Udev, *, maybe: bool) -> Fact[bool]:
    if any(
        of_device.get("ID_FS_TYPE") in _MEMBERS or of_device.get("DM_MULTIPATH_DEVICE_PATH") == "1"
        for of_device in properties
    ):
        return Known(True, "udev ID_FS_TYPE")
    if maybe and not any("ID_FS_TYPE" in of_device for of_device in properties):
        return udev.missing("udev ID_FS_TYPE")
    return read_fact.shared_fact(False, "the stack in sysfs")
