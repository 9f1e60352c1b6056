"""Every type of filesystem that is kept on block devices or in a pool of them, by its name.

Types of which no more is known than what their mounts tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.survey.filesystem_types import bcachefs, btrfs, ext4, f2fs, nilfs2, xfs, zfs
from fsadvisor.survey.filesystem_types.base import FilesystemType

if TYPE_CHECKING:
    from collections.abc import Mapping


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
UUID_OF_ONE_DEVICE: Final = frozenset(it.name for it in _ALL if not it.uuid_in_common)
MADE: Final = tuple(it.name for it in _ALL if it.mkfs_quiet is not None)
IN_PAPERS: Final = tuple(it.name for it in _ALL if it.in_papers)
NO_FLUSH_OPTIONS: Final = frozenset(word for it in _ALL for word in it.no_flush_options)
"""Of any type: an option that one of them takes for no flushes means the same to all that take it."""


def type_of(name: str) -> FilesystemType:
    """The type of that name; one that is not known is as `base` has it, without a device."""
    return TYPES.get(name) or FilesystemType(name=name, on_devices=False, quotas="quotactl")
