"""Every type of filesystem by its name, and the mounted ones: which mounts share a superblock, on which devices it is.

Types stand here that are kept on block devices or in a pool of them; of OTHERS no more is known than what mounts tell.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.survey.filesystem_types import (
    Devices,
    FilesystemType,
    Superblock,
    bcachefs,
    btrfs,
    ext4,
    f2fs,
    nilfs2,
    option,
    xfs,
    zfs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.survey.block import BlockTree


OTHERS: Final = (
    FilesystemType(name="jfs"),
    FilesystemType(name="reiserfs"),
    FilesystemType(name="vfat", quotas="none"),
    FilesystemType(name="exfat", quotas="none"),
    FilesystemType(name="ntfs3", quotas="none"),
)


_ALL: Final = (
    ext4.EXT4,
    ext4.EXT3,
    ext4.EXT2,
    xfs.XFS,
    btrfs.BTRFS,
    f2fs.F2FS,
    nilfs2.NILFS2,
    bcachefs.BCACHEFS,
    zfs.ZFS,
    *OTHERS,
)
"""The first that can be made is taken where nothing says which."""

TYPES: Final[Mapping[str, FilesystemType]] = {it.name: it for it in _ALL}
ON_DEVICES: Final = frozenset(it.name for it in _ALL if it.on_devices)
IN_POOLS: Final = frozenset(it.name for it in _ALL if not it.on_devices)
"""Their mounts name no device, so that any disk may be one of theirs."""
UUID_OF_ONE_DEVICE: Final = frozenset(it.name for it in _ALL if not it.uuid_in_common)
MADE: Final = tuple(it.name for it in _ALL if it.mkfs_quiet is not None)
IN_PAPERS: Final = tuple(it.name for it in _ALL if it.in_papers)
NO_FLUSH_OPTIONS: Final = frozenset(word for it in _ALL for word in it.no_flush_options)
"""Of any type: an option that one of them takes for no flushes means the same to all that take it."""


def type_of(name: str) -> FilesystemType:
    """The type of that name; one that is not known is as FilesystemType has it, without a device."""
    return TYPES.get(name) or FilesystemType(name=name, on_devices=False, quotas="quotactl")


OVER_THE_NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "fuse.glusterfs", "fuse.sshfs", "9p", "virtiofs")
)
IN_MEMORY = frozenset(("tmpfs", "ramfs"))
OVERLAY = "overlay"
SYSTEM_FOLDERS = ("/run/", "/dev/", "/sys/", "/proc/", "/var/run/", "/var/lock/")
"""Where the mounts are that are passed over: what lies there need not be on the root."""
LOOKED_AT = frozenset(TYPES) | OVER_THE_NETWORK | IN_MEMORY | {OVERLAY}
"""Filesystems that hold people's files; what the kernel shows of itself (proc, cgroup, …) is passed over."""


def visible_mounts(mounts: Iterable[MountEntry]) -> list[MountEntry]:
    """The mounts that people's files are on, without those that a later mount at the same place hides."""
    last = {mount.mount_point: mount for mount in mounts}
    return [mount for mount in last.values() if mount.fs_type in LOOKED_AT and not _for_the_system(mount)]


def passed_over(mounts: Iterable[MountEntry]) -> frozenset[str]:
    """Where the others are: FUSE, clustered filesystems, the kernel's own. What lies there is on no mount we know."""
    return frozenset({mount.mount_point: mount for mount in mounts}) - {it.mount_point for it in visible_mounts(mounts)}


def mounts_of_the_system(mounts: Iterable[MountEntry]) -> list[MountEntry]:
    """Those in memory where the system keeps its own state."""
    last = {mount.mount_point: mount for mount in mounts}
    return [mount for mount in last.values() if _for_the_system(mount)]


def _for_the_system(mount: MountEntry) -> bool:
    """A tmpfs where the system keeps its own state."""
    return mount.fs_type in IN_MEMORY and f"{mount.mount_point}/".startswith(SYSTEM_FOLDERS)


class Listed:
    """What the kernel lists of all filesystems of a type, asked once."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._found: dict[Callable[[Machine], Any], Any] = {}

    def of(self, fs_type: str) -> Any:  # noqa: ANN401 - only the type's own functions look into it
        """Of one type, in the shape that its own functions know."""
        listed = TYPES[fs_type].listed
        if listed not in self._found:
            self._found[listed] = listed(self.machine)
        return self._found[listed]


def superblocks(listed: Listed, mounts: Iterable[MountEntry], tree: BlockTree) -> list[Superblock]:
    """The mounts grouped by superblock ('major:minor' names one), in order of the first mount."""
    groups: dict[tuple[str, str], list[MountEntry]] = {}
    for mount in mounts:
        groups.setdefault((mount.major_minor, mount.fs_type), []).append(mount)
    found: dict[str, Superblock] = {}
    for group in groups.values():
        block = _superblock(sorted(group, key=_top_first), tree, listed)
        found.setdefault(block.id, block)
    return list(found.values())


def superblock_commands(listed: Listed, mounts: Iterable[MountEntry], tree: BlockTree) -> list[Argv]:
    """What `superblocks` will ask of tools."""
    found: dict[Argv, None] = {}
    for mount in mounts:
        fs_type = TYPES.get(mount.fs_type)
        device = tree.numbered(mount.major_minor) or tree.named(mount.source)
        if fs_type is not None and (device is not None or not fs_type.on_devices):
            name = device.name if device else ""
            wanted = fs_type.commands_for_devices(listed.machine, name, None if not name else listed.of(mount.fs_type))
            found.update(dict.fromkeys(wanted))
    return list(found)


def _top_first(mount: MountEntry) -> tuple[int, int]:
    """The filesystem's own top before bind mounts and subvolumes, then the shortest path."""
    return (len(PurePosixPath(mount.root).parts), len(mount.mount_point))


def _superblock(mounts: list[MountEntry], tree: BlockTree, listed: Listed) -> Superblock:
    mount = mounts[0]
    devices = _devices(mount, tree, listed)
    alone = bool(devices.names) and mount.fs_type in ON_DEVICES
    name = tree.devices[devices.names[0]].path if alone else f"{mount.fs_type} at {mount.mount_point}"
    return Superblock(
        id=f"filesystem:{name}",
        type=mount.fs_type,
        source=mount.source,
        number=mount.major_minor,
        mounts=tuple(mounts),
        devices=devices.names,
        followed=devices.all_known,
        log=devices.log,
        upper=option(mount, "upperdir") if mount.fs_type == OVERLAY else None,
        directory=devices.directory,
    )


def _devices(mount: MountEntry, tree: BlockTree, listed: Listed) -> Devices:
    fs_type = TYPES.get(mount.fs_type)
    if fs_type is None:
        return Devices((), False)
    device = tree.numbered(mount.major_minor) or tree.named(mount.source)
    return fs_type.devices(listed.machine, mount, device, tree, listed.of(mount.fs_type))


def mount_point_of(directory: str, mount_points: Container[str], passed_over: Container[str] = ()) -> str | None:
    """The mount point that a folder is on: itself, or the nearest above it; None where a mount was passed over."""
    folder = directory
    while folder not in mount_points:
        if not folder.strip("/") or folder in passed_over:
            return None
        folder = folder.rpartition("/")[0] or ("/" if folder.startswith("/") else "")
    of_the_system = folder == "/" and f"{directory}/".startswith(SYSTEM_FOLDERS)
    return None if of_the_system else folder
