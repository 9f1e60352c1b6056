"""Filesystems: what every one has, and what its kind adds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from fsadvisor import secrecy
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import json_text, process_files
from fsadvisor.readers.mount_tables import parse_mountinfo
from fsadvisor.storage import Filesystem
from fsadvisor.survey import faults, program_files, raid, read_fact, soundness, trends
from fsadvisor.survey.filesystem_types import MOUNTINFO, xfs, zfs
from fsadvisor.survey.filesystem_types.registry import TYPES, type_of
from fsadvisor.survey.identity import SubjectIdentities, keys_by
from fsadvisor.survey.progress import each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.readers.process_files import DeletedFile
    from fsadvisor.storage import Below, Disk
    from fsadvisor.survey.attested import Overlay
    from fsadvisor.survey.block import Udev
    from fsadvisor.survey.filesystem_types import Superblock
    from fsadvisor.survey.inventory import Inventory
    from fsadvisor.survey.raid import Stripe
    from fsadvisor.version import Version

_ASKED_WHERE_USED: Final = 90
_SHOWN: Final = 3
_MOST_MOUNTS: Final = 100
_MOST_FILES: Final = 100
"""Of those whose mount has to be asked for, the largest."""
_MUCH: Final = 5
"""Percent: so much is much, whatever else was not seen."""
_ANONYMOUS: Final = "0:"


def deleted_files(
    machine: Machine, block: Superblock, used_percent: Fact[int], size: Fact[int]
) -> tuple[Fact[int], Fact[tuple[str, ...]]]:
    """The share that deleted files hold which are still open, and by whom; asked where a filesystem fills.

    Where each subvolume has a number of its own (Btrfs), and in a container's layer, the kernel's number of a file is
    that of no mount: the mount by which it was opened tells then.
    """
    if isinstance(used_percent, Unknown) or used_percent.value <= _ASKED_WHERE_USED or isinstance(size, Unknown):
        return NOT_APPLICABLE, NOT_APPLICABLE
    if not block.devices or not size.value:
        return NOT_APPLICABLE, NOT_APPLICABLE
    source = "/proc/*/fd"
    denied = Unknown(Cause.DENIED, "run fsadvisor as root", source)
    record: process_files.DeletedFiles | Unknown = denied
    if machine.root:
        argv = process_files.DELETED_FILES_ARGV
        record = read_fact.command_record(machine, argv, process_files.parse_deleted_files)
    if isinstance(record, Unknown):
        return record, record
    held, unplaced = _held(machine, block, record.files)
    most = sorted(held, key=held.__getitem__, reverse=True)[:_SHOWN]
    names = {pid: read_fact.value(read_fact.text(machine, f"/proc/{pid}/comm")) or "process" for pid in most}
    by = tuple(f"{names[pid]} {pid}" for pid in most)
    percent = 100 * sum(held.values()) // size.value
    if percent < _MUCH and not record.all_seen:
        return denied, denied
    if percent < _MUCH <= 100 * (sum(held.values()) + unplaced) // size.value:
        lost = Unknown(Cause.NOT_EXPOSED, "look at `lsof +L1`: the mounts of some files are not known", source)
        return lost, lost
    return Known(percent, source), Known(by, source)


def _held(machine: Machine, block: Superblock, files: tuple[DeletedFile, ...]) -> tuple[dict[int, int], int]:
    """Bytes on this filesystem by process, and those of files that may be on it or elsewhere."""
    ours = program_files.of_host(machine)
    elsewhere = {it.major_minor for it in ours if it.fs_type != block.type and not program_files.is_layered(it)}
    held: dict[int, int] = {}
    unplaced = asked = 0
    for file in sorted(files, key=lambda it: it.allocated_bytes, reverse=True):
        number: str | None = f"{os.major(file.device)}:{os.minor(file.device)}"
        if number and number.startswith(_ANONYMOUS) and file.allocated_bytes and number not in elsewhere:
            asked += 1
            number = _by_mount(machine, file, ours) if asked <= _MOST_FILES else None
        if number is None:
            unplaced += file.allocated_bytes
        elif number == block.number:
            held[file.pid] = held.get(file.pid, 0) + file.allocated_bytes
    return held, unplaced


def _by_mount(machine: Machine, file: DeletedFile, ours: tuple[MountEntry, ...]) -> str | None:
    """The number of the filesystem that a file is on, by the mount through which it was opened; None: not known.

    What a container wrote to its layer is on the filesystem of that layer; what it only read may be the image's, and
    ends with that. Files of the kernel's own mounts, which are in no table, are in memory.
    """
    info = read_fact.file_record(
        machine, f"/proc/{file.pid}/fdinfo/{file.descriptor}", process_files.parse_descriptor_info
    )
    if isinstance(info, Unknown) or info.inode not in (None, file.inode):
        return None
    mount = next((it for it in ours if it.mount_id == info.mount_id), None)
    if mount is None:
        table = read_fact.file_record(machine, f"/proc/{file.pid}/mountinfo", parse_mountinfo)
        if isinstance(table, Unknown):
            return None
        mount = next((it for it in table.mounts if it.mount_id == info.mount_id), None)
    if mount is None or not program_files.is_layered(mount):
        return mount.major_minor if mount else _ANONYMOUS
    upper = program_files.written_layer(mount)
    below = program_files.last_over(upper, ours) if upper and info.written else None
    return below.major_minor if below else _ANONYMOUS


def hidden_files(inventory: Inventory, block: Superblock, known: Filesystem) -> tuple[Fact[int], Fact[tuple[str, ...]]]:
    """The share of it that lies below mount points, and of which; asked where it fills, as for deleted files.

    A directory that another mount shows, or the very mount over it (a bind mount of itself), is not hidden.
    """
    if isinstance(known.size_bytes, Unknown):
        return known.size_bytes, known.size_bytes
    machine = inventory.machine
    ours = program_files.of_host(machine)
    own = {mount.mount_id: mount for mount in block.mounts}
    over = {it.mount_point: own[it.parent_id] for it in inventory.mounts if it.parent_id in own}
    points = {point: it.mount_point for point, it in over.items() if not _shown_elsewhere(point, it, ours)}
    hidden: dict[str, int] = {}
    whole = len(points) <= _MOST_MOUNTS
    source = "below what is mounted over it"
    for point, above in list(points.items())[:_MOST_MOUNTS]:
        report = read_fact.understood(machine.hidden(point, above), json_text.load)
        taken = read_fact.field(report, f"below the mount at {point}", lambda it: json_text.integer(it, "bytes"))
        if isinstance(taken, Unknown):
            return taken, taken
        hidden[point] = taken.value
        whole = whole and not isinstance(report, Unknown) and json_text.boolean(report, "whole") is not False
    percent = 100 * sum(hidden.values()) // known.size_bytes.value
    if percent < _MUCH and not whole:
        learn = "bind it elsewhere in a shell of `unshare --mount`, and look there with du"
        unknown = Unknown(Cause.NOT_EXPOSED, learn, source)
        return unknown, unknown
    most = sorted((it for it in hidden if hidden[it]), key=hidden.__getitem__, reverse=True)[:_SHOWN]
    return Known(percent, source), Known(tuple(most), source)


def _shown_elsewhere(point: str, above: MountEntry, mounts: tuple[MountEntry, ...]) -> bool:
    return bool(program_files.shown_at(program_files.inside(above, point), above.major_minor, mounts))


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
    for name, block in inventory.blocks.items():
        if block.type == zfs.ZFS.name:
            verdict = zfs.log_plp(inventory.machine, block, inventory.tree, disks)
            guests = zfs.guest_volumes(block, inventory.programs)
            found[name] = replace(found[name], zfs_log_plp=verdict, zfs_guest_volumes=guests)
    for name, block in inventory.blocks.items():
        if found[name].deleted_open_percent is not NOT_APPLICABLE:
            percent, below = hidden_files(inventory, block, found[name])
            found[name] = replace(found[name], hidden_percent=percent, hidden_below=below)
    for name, block in inventory.blocks.items():
        devices = block.devices or (block.source.removeprefix("/dev/"),)
        seen = faults.logged_on_filesystem(inventory.log, devices, inventory.uptime)
        gone = faults.device_gone(inventory.machine, inventory.tree, block, inventory.log, inventory.uptime)
        said = faults.said_of_filesystem(inventory.log, devices, inventory.uptime)
        found[name] = replace(found[name], log_errors=seen, log_said=said, device_gone=gone)
    identity = SubjectIdentities(inventory.identifiers(), disks).of
    key_of = keys_by(identity)
    for name, known in found.items():
        key = key_of(name, known) if inventory.past.looks else None
        found[name] = trends.of_filesystem(inventory.machine, known, inventory.past, key)
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


def _mapped_name(machine: Machine, block: Superblock) -> Fact[str]:
    if len(block.devices) != 1 or not block.devices[0].startswith("dm-"):
        return NOT_APPLICABLE
    return read_fact.text(machine, f"/sys/block/{block.devices[0]}/dm/name")


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
        "options": read_fact.shared_fact(secrecy.options(top.super_options), MOUNTINFO),
        "device_count": read_fact.shared_fact(len(block.devices), members) if block.followed else not_followed,
    }
    own |= fs_type.facts(machine, block, kernel)
    own["label"] = _label(block, own.get("label"), udev, lsblk_labels)
    used = _of_space(space, _used_percent)
    size = _of_space(space, lambda it: json_text.integer(it, "size"))
    deleted_percent, deleted_by = deleted_files(machine, block, used, size)
    if block.type == xfs.XFS.name:
        own["xfs_small_free_percent"] = xfs.small_free_percent(machine, top.mount_point, used, own)
    return Filesystem(
        type=read_fact.shared_fact(block.type, MOUNTINFO),
        mount_point=Known(top.mount_point, MOUNTINFO),
        mount_points=Known(tuple(mount.mount_point for mount in block.mounts), MOUNTINFO),
        mount_count=read_fact.shared_fact(len(block.mounts), MOUNTINFO),
        read_only=read_fact.shared_fact("ro" in top.super_options, MOUNTINFO),
        size_bytes=size,
        used_percent=used,
        deleted_open_percent=deleted_percent,
        deleted_open_by=deleted_by,
        inodes_used_percent=_of_space(inodes, _inodes_used_percent),
        inodes_used=_of_space(inodes, _about_inodes_used),
        devices=Known(block.devices, members) if block.followed else not_followed,
        device=Known(f"/dev/{block.devices[0].replace('!', '/')}", MOUNTINFO) if block.devices else NOT_APPLICABLE,
        mapped_name=_mapped_name(machine, block),
        reserved_bytes=_of_space(reserve, _reserved_bytes),
        raid_chunk_bytes=stripe.chunk_bytes,
        raid_stripe_bytes=stripe.width_bytes,
        **own,
    )


def _space(machine: Machine, block: Superblock) -> json_text.Json | Unknown:
    """Room; not asked of servers on the network, which may not answer, nor of memory."""
    if block.type not in TYPES:
        return NOT_APPLICABLE
    return read_fact.understood(machine.space(block.mounts[0].mount_point), json_text.load)


def _of_space(space: json_text.Json | Unknown, pick: Callable[[json_text.Json], int | None]) -> Fact[int]:
    """One of the counts: many filesystems are of one size."""
    fact = read_fact.field(space, "statvfs", pick)
    return fact if isinstance(fact, Unknown) else read_fact.shared_fact(fact.value, fact.source)


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


def _about_inodes_used(space: json_text.Json) -> int | None:
    used = _inodes_used(space)
    return None if used is None else read_fact.steady(used)


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
