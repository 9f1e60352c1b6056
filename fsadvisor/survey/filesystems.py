"""Filesystems: what every one has, and what its kind adds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fsadvisor import secrecy
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import json_text
from fsadvisor.storage import Filesystem
from fsadvisor.survey import kernel_log, look_keys, looks, raid, read_fact, soundness, unseen_space
from fsadvisor.survey.attested import SubjectIdentities
from fsadvisor.survey.filesystem_types import xfs, zfs
from fsadvisor.survey.filesystem_types.base import MOUNTINFO
from fsadvisor.survey.filesystem_types.registry import TYPES, type_of
from fsadvisor.survey.progress import each

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.storage import Below, Disk
    from fsadvisor.survey.block import Udev
    from fsadvisor.survey.filesystem_types.base import Superblock
    from fsadvisor.survey.inventory import Inventory
    from fsadvisor.survey.overlay import Overlay
    from fsadvisor.survey.raid import Stripe
    from fsadvisor.version import Version


def survey_filesystems(inventory: Inventory, disks: Mapping[str, Disk], overlay: Overlay) -> dict[str, Filesystem]:
    """Stage 4: the mounted filesystems by id."""
    found = {
        block.id: filesystem(
            inventory.machine,
            block,
            inventory.kernel,
            inventory.udev,
            inventory.lsblk_labels,
            raid.stripe(inventory.machine, inventory.tree, inventory.stack, inventory.tables, block.id),
        )
        for block in each("filesystems", inventory.blocks.values())
    }
    for at, block in inventory.blocks.items():
        if block.type == zfs.ZFS.name:
            verdict = zfs.log_plp(inventory.machine, block, inventory.tree, disks)
            guests = zfs.guest_volumes(block, inventory.programs)
            found[at] = replace(found[at], zfs_log_plp=verdict, zfs_guest_volumes=guests)
    for at, block in inventory.blocks.items():
        if found[at].deleted_open_percent is not NOT_APPLICABLE:
            percent, below = unseen_space.hidden_files(inventory, block, found[at])
            found[at] = replace(found[at], hidden_percent=percent, hidden_below=below)
    for at, block in inventory.blocks.items():
        seen = kernel_log.of_filesystem(inventory.log, block.devices, inventory.uptime)
        found[at] = replace(found[at], log_errors=seen)
    identity = SubjectIdentities(inventory, disks).of
    key = look_keys.by(identity)
    for at, known in found.items():
        of_it = key(at, known) if inventory.past.looks else None
        found[at] = looks.of_filesystem(inventory.machine, known, inventory.past, of_it)
    return overlay.over(
        "filesystem",
        found,
        identity,
        derived=(lambda _, known: replace(known, sound=soundness.sound(known)),),
    )


def trim_wanted(filesystems: Mapping[str, Filesystem], below: Mapping[str, Below]) -> Fact[bool]:
    """Whether fstrim has work: a writable filesystem that sends no discards by itself, on devices that take them."""
    wanted: list[Fact[bool]] = []
    for subject, known in filesystems.items():
        if (
            type_of(read_fact.value(known.type) or "").trimmed_from_outside
            and read_fact.value(known.read_only) is False
        ):
            silent = read_fact.holds(known.online_discard, "none".__eq__)
            wanted.append(read_fact.both(silent, below[subject].any_discards, "filesystems and their devices"))
    return read_fact.any_of(wanted, "filesystems and their devices")


def commands(block: Superblock) -> tuple[Argv, ...]:
    """What to ask the filesystem's own tools."""
    return type_of(block.type).commands(block)


def filesystem(
    machine: Machine,
    block: Superblock,
    kernel: Fact[Version],
    udev: Udev,
    lsblk_labels: Mapping[str, str],
    stripe: Stripe,
) -> Filesystem:
    """All facts of a mounted filesystem."""
    top = block.mounts[0]
    space = _space(machine, block)
    fs_type = type_of(block.type)
    inodes = space if fs_type.has_inode_table else NOT_APPLICABLE
    reserve = space if fs_type.keeps_a_reserve else NOT_APPLICABLE
    not_followed = Unknown(Cause.NOT_EXPOSED, "", f"{block.type} on {secrecy.source(block.source)}")
    members = f"{MOUNTINFO}, {fs_type.devices_by}" if fs_type.devices_by and len(block.devices) > 1 else MOUNTINFO
    own: dict[str, Any] = {
        "options": Known(read_fact.shared(secrecy.options(top.super_options)), MOUNTINFO),
        "device_count": Known(len(block.devices), members) if block.followed else not_followed,
    }
    own |= fs_type.facts(machine, block, kernel)
    own["label"] = _label(block, own.get("label"), udev, lsblk_labels)
    used = read_fact.field(space, "statvfs", _used_percent)
    size = read_fact.field(space, "statvfs", lambda it: json_text.integer(it, "size"))
    deleted_percent, deleted_by = unseen_space.deleted_files(machine, block, used, size)
    if block.type == xfs.XFS.name:
        own["xfs_small_free_percent"] = xfs.small_free_percent(machine, top.mount_point, used, own)
    return Filesystem(
        type=Known(block.type, MOUNTINFO),
        mount_point=Known(top.mount_point, MOUNTINFO),
        mount_points=Known(tuple(mount.mount_point for mount in block.mounts), MOUNTINFO),
        mount_count=Known(len(block.mounts), MOUNTINFO),
        read_only=Known("ro" in top.super_options, MOUNTINFO),
        size_bytes=size,
        used_percent=used,
        deleted_open_percent=deleted_percent,
        deleted_open_by=deleted_by,
        inodes_used_percent=read_fact.field(inodes, "statvfs", _inodes_used_percent),
        inodes_used=read_fact.derive(read_fact.field(inodes, "statvfs", _inodes_used), read_fact.steady),
        devices=Known(block.devices, members) if block.followed else not_followed,
        device=Known(f"/dev/{block.devices[0].replace('!', '/')}", MOUNTINFO) if block.devices else NOT_APPLICABLE,
        reserved_bytes=read_fact.field(reserve, "statvfs", _reserved_bytes),
        raid_chunk_bytes=stripe.chunk_bytes,
        raid_stripe_bytes=stripe.width_bytes,
        **own,
    )


def _space(machine: Machine, block: Superblock) -> json_text.Json | Unknown:
    """Room; not asked of servers on the network, which may not answer, nor of memory."""
    if block.type not in TYPES:
        return NOT_APPLICABLE
    return read_fact.understood(machine.space(block.mounts[0].mount_point), json_text.load)


def _used_percent(space: json_text.Json) -> int | None:
    """As df reckons it: of what ordinary users may have, rounded up."""
    size, free, available = (json_text.integer(space, key) for key in ("size", "free", "available"))
    if size is None or free is None or available is None:
        return None
    used = size - free
    return -(-100 * used // (used + available)) if used + available > 0 else None


def _reserved_bytes(space: json_text.Json) -> int | None:
    """What is kept for root."""
    free, available = (json_text.integer(space, key) for key in ("free", "available"))
    return None if free is None or available is None else free - available


def _inodes_used_percent(space: json_text.Json) -> int | None:
    inodes, used = json_text.integer(space, "inodes"), _inodes_used(space)
    return -(-100 * used // inodes) if inodes and used is not None else None


def _inodes_used(space: json_text.Json) -> int | None:
    inodes, free = (json_text.integer(space, key) for key in ("inodes", "inodes_free"))
    return None if inodes is None or free is None else inodes - free


def _label(block: Superblock, own: Fact[str] | None, udev: Udev, lsblk_labels: Mapping[str, str]) -> Fact[str]:
    """The label: the filesystem's own word, udev's, else lsblk's."""
    if not block.devices:
        return NOT_APPLICABLE
    device = block.devices[0]
    by_udev = udev.fact(device, "ID_FS_LABEL")
    others = read_fact.first(by_udev, read_fact.fact_of(lsblk_labels.get(device), "lsblk"))
    return read_fact.first(own, others) if own else others
