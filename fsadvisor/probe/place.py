"""Where a probe would run, as far as it can be told: what the guard judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fsadvisor.facts import NOT_APPLICABLE, Fact

Holder: TypeAlias = Literal["nobody", "you", "another"]
"""Who else probes a filesystem: another probe of this user, or whoever has locked where it is mounted."""
Kind: TypeAlias = Literal[
    "folder", "absent", "file", "block device", "character device", "FIFO", "socket", "not to be reached"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What statvfs(2) tells: bytes and inodes that an ordinary user may still take. No inode table: both are 0."""

    where: str
    size_bytes: int
    available_bytes: int
    inodes: int
    inodes_free: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """The tightest quota that counts for us in the folder: what is left of it, None where that has no limit."""

    bytes_left: int | None
    inodes_left: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """A leaf disk."""

    name: str
    size_bytes: Fact[int]
    virtual: Fact[bool]
    rotational: Fact[bool]
    percentage_used: Fact[int]
    smart_passed: Fact[bool]
    critical_warning: Fact[int]
    day_bytes: Fact[int]
    """Written on an average day since boot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raid:
    """A software RAID, a volume of LVM's or a ZFS pool."""

    name: str
    degraded: Fact[bool]
    action: Fact[str]
    """'idle', or what md is at: resync, recover, reshape, check, repair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A thin pool or snapshot that the blocks come from."""

    name: str
    fill_percent: Fact[float]
    metadata_percent: Fact[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFolder:
    """A folder that a program keeps its data in."""

    program: str
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder, its mount, and all below it."""

    target: str
    """As it was named, made absolute and without symbolic links."""
    kind: Fact[Kind]
    may_write: Fact[bool]
    mount_point: Fact[str]
    fs_type: Fact[str]
    read_only: Fact[bool]
    shut_down: Fact[bool]
    """The kernel stopped writing to it."""
    errors: Fact[int]
    room: Fact[Room]
    behind: Fact[tuple[Room, ...]]
    """Filesystems that hold the images behind loop devices below."""
    quota: Fact[Quota | None]
    memory_bytes: Fact[int] = NOT_APPLICABLE
    """Memory to be had, where the files would lie in memory."""
    on_battery: Fact[bool]
    drives: Fact[tuple[Drive, ...]]
    raids: Fact[tuple[Raid, ...]]
    pools: Fact[tuple[Pool, ...]]
    data_folder: Fact[DataFolder | None]
    """The program's folder that the target is, or is in."""
    busy: Fact[Holder]
    """Another probe runs on the same mount."""
