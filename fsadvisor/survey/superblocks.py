"""Mounted filesystems: which mounts share a superblock, and which devices it lives on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fsadvisor.facts import Unknown
from fsadvisor.readers import json_text
from fsadvisor.survey import ext4, look

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.mount_tables import Mount
    from fsadvisor.survey.block import BlockDevice, BlockTree

ON_DEVICES = frozenset(
    ("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "nilfs2", "jfs", "reiserfs", "bcachefs", "vfat", "exfat", "ntfs3")
)
OVER_THE_NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "fuse.glusterfs", "fuse.sshfs", "9p", "virtiofs")
)
IN_MEMORY = frozenset(("tmpfs", "ramfs"))
OTHERS = frozenset(("overlay", "zfs"))
SYSTEM_FOLDERS = ("/run/", "/dev/", "/sys/", "/proc/", "/var/run/", "/var/lock/")
"""Where the mounts are that are passed over: what lies there need not be on the root."""
LOOKED_AT = ON_DEVICES | OVER_THE_NETWORK | IN_MEMORY | OTHERS
"""Filesystems that hold people's files; what the kernel shows of itself (proc, cgroup, …) is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Superblock:
    """One filesystem and the mounts that show it, the one of its top first.

    `devices` are kernel names; `followed` says whether they are all of them. `upper` is the folder that an overlay
    writes to, `folder` that of a Btrfs in sysfs.
    """

    id: str
    name: str
    type: str
    source: str
    number: str
    mounts: tuple[Mount, ...]
    devices: tuple[str, ...]
    followed: bool
    upper: str | None = None
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class _Btrfs:
    """A Btrfs in sysfs: its folder and the names of its member devices."""

    folder: str
    members: tuple[str, ...]


def visible(mounts: Iterable[Mount]) -> list[Mount]:
    """The mounts that people's files are on, without those that a later mount at the same place hides."""
    last = {mount.mount_point: mount for mount in mounts}
    return [mount for mount in last.values() if mount.fs_type in LOOKED_AT and not _for_the_system(mount)]


def _for_the_system(mount: Mount) -> bool:
    """A tmpfs where the system keeps its own state."""
    return mount.fs_type in IN_MEMORY and f"{mount.mount_point}/".startswith(SYSTEM_FOLDERS)


@dataclass(frozen=True, slots=True)
class _Lists:
    """What the kernel lists of all filesystems, asked once."""

    btrfs: Mapping[str, _Btrfs]
    journals: tuple[str, ...] | Unknown
    """The names of /proc/fs/jbd2."""


def superblocks(machine: Machine, mounts: Iterable[Mount], tree: BlockTree) -> list[Superblock]:
    """The mounts grouped by superblock ('major:minor' names one), in order of the first mount."""
    groups: dict[tuple[str, str], list[Mount]] = {}
    for mount in mounts:
        groups.setdefault((mount.major_minor, mount.fs_type), []).append(mount)
    has_ext = any(fs_type in ext4.TYPES for _, fs_type in groups)
    lists = _Lists(_btrfs_by_member(machine, groups), machine.entries("/proc/fs/jbd2") if has_ext else ())
    found: dict[str, Superblock] = {}
    for group in groups.values():
        block = _superblock(machine, sorted(group, key=_top_first), tree, lists)
        found.setdefault(block.id, block)
    return list(found.values())


def commands(machine: Machine, mounts: Iterable[Mount], tree: BlockTree) -> list[Argv]:
    """What `superblocks` will ask of tools."""
    found = (tree.numbered(it.major_minor) or tree.named(it.source) for it in mounts if it.fs_type in ext4.TYPES)
    names = {device.name: None for device in found if device is not None}
    journals = machine.entries("/proc/fs/jbd2") if names else ()
    return [ext4.header_argv(name) for name in names if ext4.may_have_outer_journal(machine, name, journals)]


def _top_first(mount: Mount) -> tuple[int, int]:
    """The filesystem's own top before bind mounts and subvolumes, then the shortest path."""
    return (len(PurePosixPath(mount.root).parts), len(mount.mount_point))


def _superblock(machine: Machine, mounts: list[Mount], tree: BlockTree, lists: _Lists) -> Superblock:
    mount = mounts[0]
    devices, followed = _devices(machine, mount, tree, lists)
    own = lists.btrfs.get(devices[0]) if devices and mount.fs_type == "btrfs" else None
    name = tree.devices[devices[0]].path if devices else f"{mount.fs_type} at {mount.mount_point}"
    return Superblock(
        id=f"filesystem:{name}",
        name=name,
        type=mount.fs_type,
        source=mount.source,
        number=mount.major_minor,
        mounts=tuple(mounts),
        devices=devices,
        followed=followed,
        upper=_option(mount, "upperdir") if mount.fs_type == "overlay" else None,
        folder=own.folder if own else None,
    )


def _devices(machine: Machine, mount: Mount, tree: BlockTree, lists: _Lists) -> tuple[tuple[str, ...], bool]:
    """The devices under a mount, and whether those are all."""
    if mount.fs_type not in ON_DEVICES:
        return (), False
    device = tree.numbered(mount.major_minor) or tree.named(mount.source)
    if mount.fs_type == "btrfs":
        own = lists.btrfs.get(device.name) if device else None
        names = own.members if own else ()
        known = tuple(name for name in names if name in tree.devices)
        return (known, bool(known) and len(known) == len(names)) if names else ((device.name,) if device else (), False)
    if mount.fs_type == "bcachefs":
        several = [tree.named(path) for path in mount.source.split(":")]
        return tuple(it.name for it in several if it), all(several)
    if mount.fs_type in ext4.TYPES and device is not None:
        return _with_journal(device.name, ext4.outer_journal(machine, device.name, lists.journals), tree)
    if mount.fs_type == "f2fs" and device is not None:
        return (device.name,), _is_all_of_f2fs(machine, mount, device)
    extra = [path for path in (_option(mount, "logdev"), _option(mount, "rtdev")) if path]
    others = [tree.named(path) for path in extra]
    names = tuple(it.name for it in (device, *others) if it)
    return names, device is not None and all(others)


def _with_journal(name: str, number: str | Unknown | None, tree: BlockTree) -> tuple[tuple[str, ...], bool]:
    """An ext4's device, and that of its journal where it is another."""
    if number is None or isinstance(number, Unknown):
        return (name,), number is None
    journal = tree.numbered(number)
    return ((name, journal.name), True) if journal else ((name,), False)


def _is_all_of_f2fs(machine: Machine, mount: Mount, device: BlockDevice) -> bool:
    """Whether an F2FS lives on this device alone: on more, of which nothing in /proc or /sys tells, it is larger.

    What statvfs calls its size is all that mkfs laid out but the first segment, so it is smaller than a single device.
    """
    space = look.understood(machine.space(mount.mount_point), json_text.load)
    size = None if isinstance(space, Unknown) else json_text.integer(space, "size")
    sectors = look.value(device.sectors)
    return size is not None and sectors is not None and size < sectors * 512


def _option(mount: Mount, name: str) -> str | None:
    """The value of an option of the superblock."""
    return next((it.partition("=")[2] for it in mount.super_options if it.startswith(f"{name}=")), None)


def _btrfs_by_member(machine: Machine, groups: Iterable[tuple[str, str]]) -> dict[str, _Btrfs]:
    """The mounted Btrfs by each of its member devices, from /sys/fs/btrfs/*/devices."""
    if not any(fs_type == "btrfs" for _, fs_type in groups):
        return {}
    found: dict[str, _Btrfs] = {}
    for name in look.names(machine.entries("/sys/fs/btrfs")):
        folder = f"/sys/fs/btrfs/{name}"
        members = look.names(machine.entries(f"{folder}/devices"))
        found.update(dict.fromkeys(members, _Btrfs(folder, members)))
    return found


def mount_point_of(directory: str, mount_points: Container[str]) -> str | None:
    """The mount point that a folder is on: itself, or the nearest above it; None where a mount was passed over."""
    folder = directory
    while folder not in mount_points:
        if not folder.strip("/"):
            return None
        folder = folder.rpartition("/")[0] or ("/" if folder.startswith("/") else "")
    passed_over = folder == "/" and f"{directory}/".startswith(SYSTEM_FOLDERS)
    return None if passed_over else folder
