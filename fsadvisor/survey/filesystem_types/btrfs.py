"""Btrfs."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import btrfs_tools, file_attributes, whole
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types import Devices, FilesystemType, Variant, btrfs_seeds, by_options
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.btrfs_tools import BtrfsUsage
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.storage import Filesystem
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.filesystem_types import Facts, Superblock


_IN_SYSFS = Version(5, 9)
_LOOKED_AT = 200
"""Container stores have a group for each of thousands of subvolumes."""


def quota(machine: Machine, folder: str, kernel: Fact[Version]) -> Fact[Literal["off", "qgroup", "squota"]]:
    """Whether space is accounted by group, and how; the folder is there only while it is."""
    names = machine.entries(folder)
    if isinstance(names, Unknown):
        return names
    if "qgroups" not in names:
        if isinstance(kernel, Unknown):
            return kernel
        source = "/sys/fs/btrfs/*/qgroups"
        return Known("off", source) if kernel.value >= _IN_SYSFS else Unknown(Cause.NOT_EXPOSED, "", source)
    enabled = read_fact.switch(machine, f"{folder}/qgroups/enabled")
    if isinstance(enabled, Unknown) or not enabled.value:
        return read_fact.derive(enabled, lambda _: "off")
    mode = read_fact.text(machine, f"{folder}/qgroups/mode")
    simple = isinstance(mode, Known) and mode.value == "squota"
    return Known("squota" if simple else "qgroup", enabled.source)


def limits(machine: Machine, folder: str) -> Fact[bool]:
    """Whether any group has a limit, or is only counted."""
    names = machine.entries(f"{folder}/qgroups")
    if isinstance(names, Unknown):
        return names
    groups = [name for name in names if name[:1].isdigit()]
    for group in groups[:_LOOKED_AT]:
        flags = read_fact.number(machine, f"{folder}/qgroups/{group}/limit_flags")
        if isinstance(flags, Unknown) or flags.value:
            return read_fact.derive(flags, bool)
    source = "/sys/fs/btrfs/*/qgroups/*/limit_flags"
    return Known(False, source) if len(groups) <= _LOOKED_AT else Unknown(Cause.NOT_EXPOSED, "", source)


_DEFAULT_COMMIT_SECONDS = 30

_NO_FOLDER = Unknown(Cause.NOT_EXPOSED, "", "/sys/fs/btrfs")
_OVERWRITTEN = {
    "postgresql": "global/pg_control",
    "mysql": "ibdata1",
    "mongodb": "WiredTiger.wt",
    "etcd": "member/snap/db",
}
"""A file of each program that is as old as its data and is never replaced by a new one."""


def commands(block: Superblock) -> tuple[Argv, ...]:
    """How its space is given out, and its snapshots."""
    return (
        btrfs_tools.btrfs_usage_argv(block.mounts[0].mount_point),
        btrfs_tools.btrfs_snapshots_argv(block.mounts[0].mount_point),
    )


def facts(machine: Machine, block: Superblock, kernel: Fact[Version], members: tuple[str, ...] | Unknown) -> Facts:
    """Read the mount options (Btrfs prints what differs from its defaults), sysfs and `filesystem usage`."""
    options = block.mounts[0].super_options
    usage_argv, snapshots_argv = commands(block)
    tool = " ".join(usage_argv)
    usage = read_fact.command_record(machine, usage_argv, btrfs_tools.parse_btrfs_usage)
    snapshots = read_fact.command_record(machine, snapshots_argv, btrfs_tools.parse_btrfs_snapshots)
    return {
        "label": _label(machine, block.directory),
        "barriers": read_fact.shared_fact("nobarrier" not in options, "/proc/self/mountinfo"),
        "online_discard": read_fact.shared_fact(_discard(options), "/proc/self/mountinfo"),
        "commit_seconds": read_fact.shared_fact(_commit_seconds(options), "/proc/self/mountinfo"),
        "features": _features(machine, block.directory),
        "errors": _errors(machine, block.directory, members),
        "unallocated_percent": read_fact.field(usage, tool, _unallocated_percent),
        "metadata_used_percent": read_fact.field(usage, tool, _metadata_used_percent),
        "data_profile": read_fact.field(usage, tool, lambda it: _profile(it, "Data")),
        "metadata_profile": read_fact.field(usage, tool, lambda it: _profile(it, "Metadata")),
        "mixed_profiles": read_fact.field(usage, tool, _mixed_profiles),
        "snapshots": read_fact.field(snapshots, " ".join(snapshots_argv), lambda it: bool(it.paths)),
        "shut_down": by_options(block, btrfs_seeds(_writeable(machine, block.directory, members))),
        "space_cache": _space_cache(options),
        "quota": quota(machine, block.directory, kernel) if block.directory else _NO_FOLDER,
        "quota_limits": limits(machine, block.directory) if block.directory else _NO_FOLDER,
        "missing_bytes": read_fact.field(usage, tool, lambda it: it.missing_bytes),
    }


def _device_count(members: tuple[str, ...] | Unknown) -> dict[str, Fact[int]]:
    """How many devices it has, those that are missing too (number 0 is being filled by a replacement)."""
    if isinstance(members, Unknown):
        return {}
    return {"device_count": read_fact.shared_fact(len(set(members) - {"0"}), "/sys/fs/btrfs/*/devinfo")}


def _label(machine: Machine, folder: str | None) -> Fact[str]:
    """The label in sysfs ('' where it has none)."""
    found = read_fact.text(machine, f"{folder}/label") if folder else _NO_FOLDER
    return replace(found, source="/sys/fs/btrfs/*/label")


def _discard(options: tuple[str, ...]) -> Literal["none", "sync", "async"]:
    if "discard=async" in options:
        return "async"
    return "sync" if "discard" in options else "none"


def _commit_seconds(options: tuple[str, ...]) -> int:
    given = next((it.partition("=")[2] for it in options if it.startswith("commit=")), None)
    return whole(given) or _DEFAULT_COMMIT_SECONDS


def _space_cache(options: tuple[str, ...]) -> Fact[Literal["v1", "v2", "none"]]:
    """The version of the free space cache; the kernel always prints one of the options."""
    if "space_cache=v2" in options:
        return read_fact.shared_fact("v2", "/proc/self/mountinfo")
    if "space_cache" in options or "space_cache=v1" in options:
        return read_fact.shared_fact("v1", "/proc/self/mountinfo")
    if "nospace_cache" in options:
        return read_fact.shared_fact("none", "/proc/self/mountinfo")
    return Unknown(Cause.NOT_EXPOSED, "", "/proc/self/mountinfo")


def _writeable(machine: Machine, folder: str | None, members: tuple[str, ...] | Unknown) -> Iterator[Fact[bool]]:
    """Whether each member device may be written; a seed may not."""
    if isinstance(members, Unknown):
        yield members
        return
    for member in members:
        yield read_fact.switch(machine, f"{folder}/devinfo/{member}/writeable")


def _features(machine: Machine, folder: str | None) -> Fact[tuple[str, ...]]:
    names = machine.entries(f"{folder}/features") if folder else _NO_FOLDER
    return names if isinstance(names, Unknown) else Known(read_fact.shared(names), "/sys/fs/btrfs/*/features")


def _errors(machine: Machine, folder: str | None, members: tuple[str, ...] | Unknown) -> Fact[int]:
    """Errors of all member devices together."""
    if isinstance(members, Unknown):
        return members
    total = 0
    for member in members:
        path = f"{folder}/devinfo/{member}/error_stats"
        count = read_fact.field(
            read_fact.file_record(machine, path, btrfs_tools.parse_btrfs_error_stats), path, lambda it: it.total
        )
        if isinstance(count, Unknown):
            return count
        total += count.value
    return read_fact.shared_fact(total, "/sys/fs/btrfs/*/devinfo/*/error_stats")


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


_LOST_WITH_ONE_DEVICE: Final = ("single", "raid0", "dup")
"""The profiles of which one device may hold all copies, the weakest first."""


def _mixed_profiles(usage: BtrfsUsage) -> tuple[str, ...] | None:
    """'data: single beside raid1' of each kind; what is empty, as after mkfs, counts for nothing."""
    found: list[str] = []
    for kind in dict.fromkeys(group.kind for group in usage.groups):
        groups = [group for group in usage.groups if group.kind == kind]
        if len(groups) > 1 and any(group.used_bytes is None for group in groups):
            return None
        used = {group.profile for group in groups if group.used_bytes}
        weakest = next((it for it in _LOST_WITH_ONE_DEVICE if it in used), None)
        others = sorted(used - {weakest, "raid0" if weakest == "single" else ""})
        if weakest and others:
            found.append(f"{kind.lower()}: {weakest} beside {' and '.join(others)}")
    return tuple(found)


def _profile(usage: BtrfsUsage, kind: str) -> str | None:
    """The profile of a kind of block groups; several while a conversion is under way."""
    return "+".join(sorted({group.profile for group in usage.groups if group.kind == kind})) or None


def flag(machine: Machine, path: str) -> Fact[bool]:
    """Whether a folder, for the new files in it, or a file carries the flag."""
    answer = machine.flags(path)
    record = read_fact.understood(answer, file_attributes.parse_fsflags)
    return read_fact.field(record, answer.source, lambda it: it.nocow)


def flag_of_a_file(machine: Machine, program: str, directory: str) -> Fact[bool]:
    """The flag of one file that the program overwrites."""
    name = _OVERWRITTEN.get(program)
    if name is None:
        return Unknown(Cause.NOT_EXPOSED, f"look at its files: lsattr -R {shlex.quote(directory)}", "lsattr")
    return flag(machine, f"{directory}/{name}")


class _InSysfs(NamedTuple):
    """A mounted Btrfs in sysfs: its directory and the names of its member devices."""

    directory: str
    members: tuple[str, ...]


def _by_member(machine: Machine) -> Mapping[str, _InSysfs]:
    """The mounted ones by each of their member devices, from /sys/fs/btrfs/*/devices."""
    found: dict[str, _InSysfs] = {}
    for name in read_fact.names(machine.entries("/sys/fs/btrfs")):
        directory = f"/sys/fs/btrfs/{name}"
        members = read_fact.names(machine.entries(f"{directory}/devices"))
        found.update(dict.fromkeys(members, _InSysfs(directory, members)))
    return found


def _devices(
    _machine: Machine,
    _mount: MountEntry,
    device: BlockDevice | None,
    tree: BlockTree,
    by_member: Any,  # noqa: ANN401 - of _by_member
) -> Devices:
    own = by_member.get(device.name) if device else None
    names = own.members if own else ()
    known = tuple(name for name in names if name in tree.devices)
    if not names:
        return Devices((device.name,) if device else (), False)
    in_sysfs = by_member.get(known[0]) if known else None
    return Devices(known, bool(known) and len(known) == len(names), in_sysfs.directory if in_sysfs else None)


def _members(machine: Machine, device: str) -> tuple[str, ...]:
    own = _by_member(machine).get(device)
    return own.members if own else (device,)


def _uuids(machine: Machine, device: str) -> tuple[str, ...]:
    own = _by_member(machine).get(device)
    return (own.directory.rpartition("/")[2],) if own else ()


def _facts(machine: Machine, block: Superblock, kernel: Fact[Version]) -> Facts:
    members = machine.entries(f"{block.directory}/devinfo") if block.directory else _NO_FOLDER
    found = facts(machine, block, kernel, members)
    spread = _one_copy_spread(members, found["data_profile"])
    return {**found, **_device_count(members), "one_copy_spread": spread}


def _one_copy_spread(members: tuple[str, ...] | Unknown, profile: Fact[str]) -> Fact[bool]:
    """Whether its data is on several devices, and on each of them another part."""
    if isinstance(members, Unknown):
        return members
    return read_fact.derive(profile, lambda it: len(set(members) - {"0"}) > 1 and it in ("single", "raid0"))


def _program_facts(machine: Machine, program: str, directory: Fact[str]) -> Facts:
    """The no-copy-on-write flag of its directory, for new files, and of a file that is there."""
    if isinstance(directory, Unknown):
        return {"nocow": directory, "nocow_file": directory}
    return {
        "nocow": flag(machine, directory.value),
        "nocow_file": flag_of_a_file(machine, program, directory.value),
    }


_WITH_COPIES: Final = ("raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6")


def _own_copies(filesystem: Filesystem) -> Fact[bool]:
    profiles = (filesystem.data_profile, filesystem.metadata_profile)
    each = [read_fact.holds(profile, _WITH_COPIES.__contains__) for profile in profiles]
    return read_fact.all_of(each, "btrfs filesystem usage")


def _mkfs_alike(filesystem: Filesystem) -> tuple[str, ...]:
    profile = read_fact.value(filesystem.metadata_profile)
    return ("-m", profile.lower()) if profile and profile.lower() in ("single", "dup") else ()


BTRFS: Final = FilesystemType(
    name="btrfs",
    own_copies=_own_copies,
    listed=_by_member,
    devices=_devices,
    uuid_in_common=True,
    members=_members,
    uuids=_uuids,
    commands=commands,
    facts=_facts,
    program_facts=_program_facts,
    own_read_ahead=True,
    unprinted_defaults=("commit=30",),
    quotas="own",
    mkfs_quiet=("-q", "-f"),
    mkfs_at_once=("-K",),
    mkfs_alike=_mkfs_alike,
    least_bytes=256 << 20,
    flushes_after_sync=True,
    no_flush_options=("nobarrier",),
    in_papers=True,
    variants=(
        Variant(says="Btrfs as it comes"),
        Variant(
            suffix="tuned",
            says="Btrfs that overwrites in place",
            options=("noatime", "nodatacow"),
            dangers=(
                "nodatacow: no checksums of data, no compression, no repair from a copy; a power cut can tear a write",
            ),
        ),
    ),
)
