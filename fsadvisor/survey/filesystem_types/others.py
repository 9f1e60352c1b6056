"""Types of which no more is known than what their mounts tell."""

from __future__ import annotations

from typing import Final

from fsadvisor.survey.filesystem_types.base import FilesystemType

TYPES: Final = (
    FilesystemType(name="jfs"),
    FilesystemType(name="reiserfs"),
    FilesystemType(name="vfat", quotas="none"),
    FilesystemType(name="exfat", quotas="none"),
    FilesystemType(name="ntfs3", quotas="none"),
)
