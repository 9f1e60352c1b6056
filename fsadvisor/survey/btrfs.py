"""Facts of a Btrfs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypedDict

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import btrfs_tools, btrfs_usage
from fsadvisor.readers.parsing import whole
from fsadvisor.survey import btrfs_quota, look, shut_down

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.btrfs_usage import BtrfsUsage
    from fsadvisor.survey.superblocks import Superblock
    from fsadvisor.version import Version

_DEFAULT_COMMIT_SECONDS = 30


class BtrfsFacts(TypedDict):
    """The fields of Filesystem that a Btrfs fills."""

    label: Fact[str]
    barriers: Fact[bool]
    online_discard: Fact[Literal["none", "sync", "async"]]
    commit_seconds: Fact[int]
    features: Fact[tuple[str, ...]]
    errors: Fact[int]
    unallocated_percent: Fact[int]
    metadata_used_percent: Fact[int]
    data_profile: Fact[str]
    metadata_profile: Fact[str]
    snapshots: Fact[bool]
    shut_down: Fact[bool]
    space_cache: Fact[Literal["v1", "v2", "none"]]
    quota: Fact[Literal["off", "qgroup", "squota"]]
    quota_limits: Fact[bool]
    missing_bytes: Fact[int]


def commands(block: Superblock) -> tuple[Argv, ...]:
    """How its space is given out, and its snapshots."""
    return (
        btrfs_usage.argv(block.mounts[0].mount_point),
        btrfs_tools.btrfs_snapshots_argv(block.mounts[0].mount_point),
    )


def facts(machine: Machine, block: Superblock, kernel: Fact[Version]) -> BtrfsFacts:
    """Read the mount options (Btrfs prints what differs from its defaults), sysfs and `filesystem usage`."""
    options = block.mounts[0].super_options
    usage_argv, snapshots_argv = commands(block)
    tool = " ".join(usage_argv)
    usage = look.command_record(machine, usage_argv, btrfs_usage.parse)
    snapshots = look.command_record(machine, snapshots_argv, btrfs_tools.parse_btrfs_snapshots)
    return BtrfsFacts(
        label=_label(machine, block.folder),
        barriers=Known("nobarrier" not in options, "/proc/self/mountinfo"),
        online_discard=Known(_discard(options), "/proc/self/mountinfo"),
        commit_seconds=Known(_commit_seconds(options), "/proc/self/mountinfo"),
        features=_features(machine, block.folder),
        errors=_errors(machine, block.folder),
        unallocated_percent=look.field(usage, tool, _unallocated_percent),
        metadata_used_percent=look.field(usage, tool, _metadata_used_percent),
        data_profile=look.field(usage, tool, lambda it: _profile(it, "Data")),
        metadata_profile=look.field(usage, tool, lambda it: _profile(it, "Metadata")),
        snapshots=look.field(snapshots, " ".join(snapshots_argv), lambda it: bool(it.paths)),
        shut_down=shut_down.told(block, shut_down.btrfs_seeds(_writeable(machine, block.folder))),
        space_cache=_space_cache(options),
        quota=btrfs_quota.quota(machine, block.folder, kernel) if block.folder else _NO_FOLDER,
        quota_limits=btrfs_quota.limits(machine, block.folder) if block.folder else _NO_FOLDER,
        missing_bytes=look.field(usage, tool, lambda it: it.missing_bytes),
    )


def members(machine: Machine, folder: str | None) -> dict[str, Fact[int]]:
    """How many devices it has, those that are missing too (number 0 is being filled by a replacement)."""
    numbers = machine.entries(f"{folder}/devinfo") if folder else _NO_FOLDER
    if isinstance(numbers, Unknown):
        return {}
    return {"device_count": Known(len(set(numbers) - {"0"}), "/sys/fs/btrfs/*/devinfo")}


def _label(machine: Machine, folder: str | None) -> Fact[str]:
    """The label in sysfs ('' where it has none)."""
    found = look.text(machine, f"{folder}/label") if folder else _NO_FOLDER
    return replace(found, source="/sys/fs/btrfs/*/label")


def _discard(options: tuple[str, ...]) -> Literal["none", "sync", "async"]:
    if "discard=async" in options:
        return "async"
    return "sync" if "discard" in options else "none"


def _commit_seconds(options: tuple[str, ...]) -> int:
    given = next((it.partition("=")[2] for it in options if it.startswith("commit=")), None)
    return whole(given) or _DEFAULT_COMMIT_SECONDS


def _space_cache(options: tuple[str, ...]) -> Fact[Literal["v1", "v2", "none"]]:
    """The kernel always prints one of them."""
    if "space_cache=v2" in options:
        return Known("v2", "/proc/self/mountinfo")
    if "space_cache" in options or "space_cache=v1" in options:
        return Known("v1", "/proc/self/mountinfo")
    if "nospace_cache" in options:
        return Known("none", "/proc/self/mountinfo")
    return Unknown(Cause.NOT_EXPOSED, "", "/proc/self/mountinfo")


def _writeable(machine: Machine, folder: str | None) -> Iterator[Fact[bool]]:
    """Whether each member device may be written; a seed may not."""
    members = machine.entries(f"{folder}/devinfo") if folder else _NO_FOLDER
    if isinstance(members, Unknown):
        yield members
        return
    for member in members:
        yield look.switch(machine, f"{folder}/devinfo/{member}/writeable")


def _features(machine: Machine, folder: str | None) -> Fact[tuple[str, ...]]:
    names = machine.entries(f"{folder}/features") if folder else _NO_FOLDER
    return names if isinstance(names, Unknown) else Known(look.shared(names), "/sys/fs/btrfs/*/features")


def _errors(machine: Machine, folder: str | None) -> Fact[int]:
    """Errors of all member devices together."""
    members = machine.entries(f"{folder}/devinfo") if folder else _NO_FOLDER
    if isinstance(members, Unknown):
        return members
    total = 0
    for member in members:
        path = f"{folder}/devinfo/{member}/error_stats"
        count = look.field(
            look.file_record(machine, path, btrfs_tools.parse_btrfs_error_stats), path, lambda it: it.total
        )
        if isinstance(count, Unknown):
            return count
        total += count.value
    return Known(total, "/sys/fs/btrfs/*/devinfo/*/error_stats")


def _unallocated_percent(usage: BtrfsUsage) -> int | None:
    if not usage.device_size_bytes or usage.unallocated_bytes is None:
        return None
    return 100 * usage.unallocated_bytes // usage.device_size_bytes


def _metadata_used_percent(usage: BtrfsUsage) -> int | None:
    """Of all block groups for metadata; the global reserve can't be used for anything else, so it counts as used."""
    groups = [group for group in usage.groups if "Metadata" in group.kind]
    sizes = [group.size_bytes for group in groups if group.size_bytes is not None]
    used = [group.used_bytes for group in groups if group.used_bytes is not None]
    if not groups or len(sizes) < len(groups) or len(used) < len(groups) or not sum(sizes):
        return None
    return min(100, 100 * (sum(used) + (usage.global_reserve_bytes or 0)) // sum(sizes))


def _profile(usage: BtrfsUsage, kind: str) -> str | None:
    """The profile of a kind of block groups; several while a conversion is under way."""
    return "+".join(sorted({group.profile for group in usage.groups if group.kind == kind})) or None


_NO_FOLDER = Unknown(Cause.NOT_EXPOSED, "", "/sys/fs/btrfs")
