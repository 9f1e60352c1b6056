"""Facts of an ext4 (and ext2, ext3, which the ext4 driver serves)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import ext4_reports, whole
from fsadvisor.storage.about import DataMode
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types import Devices, FilesystemType, Variant, ext4_shut_down

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.ext4_reports import Dumpe2fs, Ext4Options
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.storage import Filesystem
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.filesystem_types import Facts, Superblock
    from fsadvisor.version import Version


_parse_options = lru_cache(maxsize=512)(ext4_reports.parse_ext4_options)
"""Most filesystems of a machine have the same options, to the letter."""


def commands(block: Superblock) -> tuple[Argv, ...]:
    """The superblock as e2fsprogs shows it."""
    return (header_argv(block.devices[0]),) if block.devices else ()


def header_argv(device: str) -> Argv:
    """The command that prints the superblock on a device, by the kernel's name of it."""
    return ext4_reports.dumpe2fs_argv(f"/dev/{device.replace('!', '/')}")


def _journals(machine: Machine) -> frozenset[str] | Unknown:
    """The names in /proc/fs/jbd2: a machine may have thousands, and each filesystem looks for its own."""
    names = machine.entries("/proc/fs/jbd2")
    return names if isinstance(names, Unknown) else frozenset(names)


def _devices(
    machine: Machine,
    _mount: MountEntry,
    device: BlockDevice | None,
    tree: BlockTree,
    journals: Any,  # noqa: ANN401 - of _journals
) -> Devices:
    """An ext4's device, and that of its journal where it is another."""
    if device is None:
        return Devices((), False)
    number = outer_journal(machine, device.name, journals)
    if number is None or isinstance(number, Unknown):
        return Devices((device.name,), number is None)
    journal = tree.numbered(number)
    if journal is None:
        return Devices((device.name,), False)
    return Devices((device.name, journal.name), True, log=journal.name)


def _commands_for_devices(machine: Machine, device: str, journals: Any) -> tuple[Argv, ...]:  # noqa: ANN401 - of _journals
    return (header_argv(device),) if may_have_outer_journal(machine, device, journals) else ()


def outer_journal(machine: Machine, device: str, journals: frozenset[str] | Unknown) -> str | Unknown | None:
    """'major:minor' of the device that the journal is on; None where it is inside, or there is none.

    jbd2 names a journal inside after its inode, DEVICE-8. One outside is named after its own device, which only the
    superblock tells: the kernel keeps the number there up to date. No option of the mount shows it. `journals` are the
    names in /proc/fs/jbd2; a recording from before they were asked for may still have the journal's own file.
    """
    if not may_have_outer_journal(machine, device, journals):
        return None
    header = read_fact.command_record(machine, header_argv(device), ext4_reports.parse_dumpe2fs)
    if isinstance(header, Unknown):
        return header
    try:
        number = int(header.journal_device or "0", 16)
    except ValueError:
        return Unknown(Cause.UNREADABLE, "", "dumpe2fs: Journal device")
    return f"{(number & 0xFFF00) >> 8}:{number & 0xFF | (number >> 12) & 0xFFF00}" if number else None


def may_have_outer_journal(machine: Machine, device: str, journals: frozenset[str] | Unknown) -> bool:
    """Whether the kernel alone does not tell that the journal is inside, or that there is none."""
    if isinstance(journals, Unknown):
        inside = not isinstance(machine.read(f"/proc/fs/jbd2/{device}-8/info"), Unknown)
    else:
        inside = f"{device}-8" in journals
    if inside:
        return False
    options = read_fact.file_record(machine, f"/proc/fs/ext4/{device}/options", _parse_options)
    return isinstance(options, Unknown) or options.value("data") is not None


def facts(machine: Machine, block: Superblock, kernel: Fact[Version]) -> Facts:
    """Read /proc/fs/ext4 (every option in force, defaults too), jbd2's statistics and dumpe2fs."""
    device = block.devices[0] if block.devices else "?"
    path = f"/proc/fs/ext4/{device}/options"
    options = read_fact.file_record(machine, path, _parse_options)
    argv = next(iter(commands(block)), ("dumpe2fs", "-h", device))
    tool = " ".join(argv)
    header = read_fact.command_record(machine, argv, ext4_reports.parse_dumpe2fs)
    journal_name = block.devices[1] if len(block.devices) > 1 else f"{device}-8"
    journal_path = f"/proc/fs/jbd2/{journal_name}/info"
    jbd2 = read_fact.file_record(machine, journal_path, ext4_reports.parse_jbd2_info)
    errors = _errors(read_fact.number(machine, f"/sys/fs/ext4/{device}/errors_count"), header, tool)
    return {
        "label": read_fact.field(header, tool, lambda it: it.label),
        "options": read_fact.field(
            options, path, lambda it: read_fact.shared(tuple(_spelt(name, value) for name, value in it.options))
        ),
        "barriers": read_fact.field(options, path, _barriers),
        "online_discard": read_fact.derive(
            read_fact.field(options, path, lambda it: it.has("discard")), lambda it: "sync" if it else "none"
        ),
        "journal": _journal(options, path, header, tool) if isinstance(jbd2, Unknown) else Known(True, journal_path),
        "data_mode": read_fact.choice(read_fact.field(options, path, lambda it: it.value("data")), DataMode),
        "commit_seconds": read_fact.field(options, path, lambda it: whole(it.value("commit"))),
        "features": read_fact.field(
            header, tool, lambda it: read_fact.shared(it.features) if it.features is not None else None
        ),
        "journal_bytes": read_fact.field(header, tool, lambda it: it.journal_size_bytes),
        "commit_us": read_fact.derive(
            read_fact.field(jbd2, journal_path, lambda it: it.average_commit_us), read_fact.steady
        ),
        "block_bytes": read_fact.field(header, tool, lambda it: it.block_size_bytes),
        "inode_bytes": read_fact.field(header, tool, lambda it: it.inode_size_bytes),
        "stripe_unit_bytes": read_fact.field(header, tool, _stride_bytes),
        "errors": errors,
        "shut_down": ext4_shut_down(block, read_fact.field(header, tool, _read_only_by_format), errors, kernel),
        "maximum_file_bytes": read_fact.field(header, tool, _maximum_file_bytes),
        "stripe_width_bytes": read_fact.field(header, tool, _stripe_width_bytes),
        "journal_mib": read_fact.field(header, tool, _journal_mib),
        "journal_flushing_ms": read_fact.derive(
            read_fact.field(jbd2, journal_path, lambda it: it.flushing_ms), read_fact.steady
        ),
    }


def _journal(options: Ext4Options | Unknown, path: str, header: Dumpe2fs | Unknown, tool: str) -> Fact[bool]:
    """Whether one is used, where jbd2 does not show it: `noload` leaves it alone, even on a writable mount."""
    if not isinstance(options, Unknown) and options.has("norecovery"):
        return Known(False, path)
    return read_fact.field(header, tool, lambda it: "has_journal" in it.features if it.features is not None else None)


def _spelt(name: str, value: str | None) -> str:
    return name if value is None else f"{name}={value}"


def _barriers(options: Ext4Options) -> bool | None:
    """Both spellings are printed since 2.6; neither means a kernel that says nothing."""
    if options.has("nobarrier"):
        return False
    return True if options.has("barrier") else None


def _errors(counted: Fact[int], header: Dumpe2fs | Unknown, tool: str) -> Fact[int]:
    """The kernel's count; where it has none (ext2 driver, archives) that of the superblock, which leaves out a zero."""
    in_superblock = read_fact.field(header, tool, lambda it: it.error_count or 0)
    return read_fact.first(counted, in_superblock)


def _read_only_by_format(header: Dumpe2fs) -> bool | None:
    return None if header.features is None else "read-only" in header.features


def _journal_mib(header: Dumpe2fs) -> int | None:
    return None if header.journal_size_bytes is None else header.journal_size_bytes >> 20


def _stride_bytes(header: Dumpe2fs) -> int | None:
    """0 where it was told of none: dumpe2fs then prints no line."""
    if header.block_size_bytes is None:
        return None
    return (header.raid_stride_blocks or 0) * header.block_size_bytes


def _stripe_width_bytes(header: Dumpe2fs) -> int | None:
    if header.block_size_bytes is None:
        return None
    return (header.raid_stripe_width_blocks or 0) * header.block_size_bytes


def _maximum_file_bytes(header: Dumpe2fs) -> int | None:
    """2**32 - 1 blocks with extents (ext4_max_size in fs/ext4/super.c, Linux 5.10 to 7.2); less without."""
    features = header.features
    if features is None or header.block_size_bytes is None or not {"extent", "huge_file"} <= set(features):
        return None
    return ((1 << 32) - 1) * header.block_size_bytes


def _mkfs_alike(filesystem: Filesystem) -> tuple[str, ...]:
    block, inode = read_fact.value(filesystem.block_bytes), read_fact.value(filesystem.inode_bytes)
    return (*(("-b", str(block)) if block else ()), *(("-I", str(inode)) if inode else ()))


def _mkfs_alike_ext4(filesystem: Filesystem) -> tuple[str, ...]:
    features = read_fact.value(filesystem.features)
    lacking = [f"^{name}" for name in _SAID_TO_MKFS if features and name not in features]
    return (*_mkfs_alike(filesystem), *(("-O", ",".join(lacking)) if lacking else ()))


_SAID_TO_MKFS: Final = ("has_journal", "extent", "dir_index", "metadata_csum", "flex_bg")
"""Features that mkfs is told to leave out where the machine's own lacks them."""

EXT2: Final = FilesystemType(
    name="ext2",
    listed=_journals,
    devices=_devices,
    commands_for_devices=_commands_for_devices,
    devices_by="dumpe2fs",
    commands=commands,
    facts=facts,
    has_inode_table=True,
    keeps_a_reserve=True,
    syncs_unnamed_alike=True,
    places_are_offsets=True,
    mkfs_quiet=("-q", "-F"),
    mkfs_at_once=("-E", "lazy_itable_init=0,nodiscard"),
    mkfs_alike=_mkfs_alike,
    no_flush_options=("nobarrier", "barrier=0"),
)
EXT3: Final = replace(
    EXT2,
    name="ext3",
    mkfs_at_once=("-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"),
    least_bytes=64 << 20,
    flushes_after_sync=True,
)
EXT4: Final = replace(
    EXT3,
    name="ext4",
    mkfs_alike=_mkfs_alike_ext4,
    trimmed_from_outside=True,
    in_papers=True,
    variants=(
        Variant(says="ext4 as it comes"),
        Variant(
            suffix="tuned",
            says="ext4 with fast commits, and times written late",
            options=("noatime", "lazytime"),
            mkfs=("-O", "fast_commit"),
            dangers=("lazytime: after a power cut a file's times may be a day old",),
        ),
        Variant(
            suffix="seed",
            says="ext4 with four options that a guide calls safe",
            options=("data=writeback", "noatime", "nobarrier", "commit=60"),
            dangers=(
                (
                    "nobarrier: without power-loss protection a power cut loses synced files, "
                    "and can damage the filesystem"
                ),
                "data=writeback: after a power cut new files may hold old blocks, those of others among them",
                "commit=60: what nobody synced is lost of the last minute, and not of five seconds",
            ),
        ),
    ),
)
