"""Space that du does not find: of files that were deleted and are still open, and of those below a mount point.

Both are asked where a filesystem fills. Where each subvolume has a number of its own (Btrfs), and in a container's
layer, the kernel's number of a file is that of no mount: the mount by which it was opened tells then.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import json_text, process_files
from fsadvisor.readers.mount_tables import parse_mountinfo
from fsadvisor.survey import containers, read_fact

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.mount_tables import Mount
    from fsadvisor.readers.process_files import DeletedFile
    from fsadvisor.storage import Filesystem
    from fsadvisor.survey.filesystem_types.base import Superblock
    from fsadvisor.survey.inventory import Inventory

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
    """The share that deleted files hold which are still open, and by whom; asked where a filesystem fills."""
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
    ours = containers.of_host(machine)
    elsewhere = {it.major_minor for it in ours if it.fs_type != block.type and not containers.is_layered(it)}
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


def _by_mount(machine: Machine, file: DeletedFile, ours: tuple[Mount, ...]) -> str | None:
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
    if mount is None or not containers.is_layered(mount):
        return mount.major_minor if mount else _ANONYMOUS
    upper = containers.written_layer(mount)
    below = containers.last_over(upper, ours) if upper and info.written else None
    return below.major_minor if below else _ANONYMOUS


def hidden_files(inventory: Inventory, block: Superblock, known: Filesystem) -> tuple[Fact[int], Fact[tuple[str, ...]]]:
    """The share of it that lies below mount points, and of which; asked where it fills, as for deleted files.

    A directory that another mount shows, or the very mount over it (a bind mount of itself), is not hidden.
    """
    if isinstance(known.size_bytes, Unknown):
        return known.size_bytes, known.size_bytes
    machine = inventory.machine
    ours = containers.of_host(machine)
    own = {mount.mount_id: mount for mount in block.mounts}
    over = {it.mount_point: own[it.parent_id] for it in inventory.mounts if it.parent_id in own}
    points = {point: it.mount_point for point, it in over.items() if not _shown_elsewhere(point, it, ours)}
    held: dict[str, int] = {}
    whole = len(points) <= _MOST_MOUNTS
    source = "below what is mounted over it"
    for point, above in list(points.items())[:_MOST_MOUNTS]:
        told = read_fact.understood(machine.hidden(point, above), json_text.load)
        taken = read_fact.field(told, f"below the mount at {point}", lambda it: json_text.integer(it, "bytes"))
        if isinstance(taken, Unknown):
            return taken, taken
        held[point] = taken.value
        whole = whole and not isinstance(told, Unknown) and json_text.boolean(told, "whole") is not False
    percent = 100 * sum(held.values()) // known.size_bytes.value
    if percent < _MUCH and not whole:
        learn = "bind it elsewhere in a shell of `unshare --mount`, and look there with du"
        unknown = Unknown(Cause.NOT_EXPOSED, learn, source)
        return unknown, unknown
    most = sorted((it for it in held if held[it]), key=held.__getitem__, reverse=True)[:_SHOWN]
    return Known(percent, source), Known(tuple(most), source)


def _shown_elsewhere(point: str, above: Mount, mounts: tuple[Mount, ...]) -> bool:
    return bool(containers.shown_at(containers.inside(above, point), above.major_minor, mounts))
