"""Facts of an XFS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import size_bytes, xfs_reports
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types import Devices, FilesystemType, Variant, option, xfs_shut_down
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.readers.xfs_reports import XfsInfo
    from fsadvisor.storage import Filesystem
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.filesystem_types import Facts, Superblock


_BARRIERS_ALWAYS = Version(4, 19)
"""`nobarrier` was removed by commit 1c02d502c208, in 4.19."""
_ROOT = "/dev/root"
"""The kernel's name for what it mounted itself."""
_LARGEST_LOG_BUFFER = 256 * 1024
_FEATURES = ("crc", "finobt", "sparse", "rmapbt", "reflink", "bigtime", "inobtcount", "nrext64", "ftype")


def commands(block: Superblock) -> tuple[Argv, ...]:
    """The geometry as xfsprogs shows it."""
    return (xfs_reports.xfs_info_argv(block.mounts[0].mount_point),)


def facts(machine: Machine, block: Superblock, kernel: Fact[Version]) -> Facts:
    """Read the mount options (XFS prints all but barriers) and xfs_info."""
    options = block.mounts[0].super_options
    (argv,) = commands(block)
    tool = " ".join(argv)
    answer = machine.run([argv])[0]
    info = _of_this(block, read_fact.record_of(machine, answer, xfs_reports.parse_xfs_info), tool)
    return {
        "barriers": _barriers(options, kernel),
        "online_discard": read_fact.shared_fact("sync" if "discard" in options else "none", "/proc/self/mountinfo"),
        "journal": read_fact.shared_fact(True, "every XFS has a log"),
        "features": read_fact.field(
            info, tool, lambda it: read_fact.shared(tuple(name for name in _FEATURES if getattr(it, name)))
        ),
        "journal_bytes": read_fact.field(info, tool, _log_bytes),
        "block_bytes": read_fact.field(info, tool, lambda it: it.bsize_bytes),
        "inode_bytes": read_fact.field(info, tool, lambda it: it.isize_bytes),
        "stripe_unit_bytes": read_fact.field(info, tool, lambda it: _in_bytes(it.sunit_blocks, it)),
        "log_buffer_bytes": _log_buffer(options),
        "log_takes_256k": read_fact.field(info, tool, _log_takes_256k),
        "xfs_sparse_inodes": read_fact.field(info, tool, lambda it: it.sparse),
        "xfs_crc": read_fact.field(info, tool, lambda it: it.crc),
        "allocation_groups": read_fact.field(info, tool, lambda it: it.agcount),
        "shut_down": xfs_shut_down(answer),
        "stripe_width_bytes": read_fact.field(info, tool, lambda it: _in_bytes(it.swidth_blocks, it)),
        "xfs_bigtime": read_fact.field(info, tool, lambda it: it.bigtime),
        "xfs_ftype": read_fact.field(info, tool, lambda it: it.ftype),
        "allocation_group_bytes": read_fact.field(info, tool, lambda it: _in_bytes(it.agsize_blocks, it)),
    }


_SMALL_BYTES: Final = 64 * 1024
"""Above the 16 to 32 KiB of a chunk of inodes, wherever it is aligned."""
_ASKED_WHERE_USED: Final = 90


def small_free_percent(
    machine: Machine, mount_point: str, used_percent: Fact[int], known: Mapping[str, Any]
) -> Fact[int]:
    """How much of the free space lies in small extents; asked only where that matters, for it walks all of it."""
    sparse, block_bytes = known["xfs_sparse_inodes"], known["block_bytes"]
    if isinstance(used_percent, Unknown) or used_percent.value <= _ASKED_WHERE_USED:
        return NOT_APPLICABLE
    if read_fact.value(sparse) is not False or isinstance(block_bytes, Unknown):
        return NOT_APPLICABLE
    argv = xfs_reports.xfs_freesp_argv(mount_point)
    record = read_fact.command_record(machine, argv, xfs_reports.parse_xfs_freesp)
    blocks = _SMALL_BYTES // block_bytes.value
    return read_fact.field(record, "xfs_spaceman -c 'freesp -s'", lambda it: it.percent_below(blocks))


def _of_this(block: Superblock, info: XfsInfo | Unknown, tool: str) -> XfsInfo | Unknown:
    """The answer, unless it names another device: xfs_info and mountinfo both print what the kernel was told."""
    if isinstance(info, Unknown) or info.device is None:
        return info
    mounted = {mount.source for mount in block.mounts}
    names = {info.device, *mounted}
    if info.device in mounted or _ROOT in names or not all(name.startswith("/dev/") for name in names):
        return info
    learn = f"find out why xfs_info answers for {info.device} instead of {', '.join(sorted(mounted))}"
    return Unknown(Cause.UNREADABLE, learn, tool)


def _barriers(options: tuple[str, ...], kernel: Fact[Version]) -> Fact[bool]:
    if "nobarrier" in options:
        return read_fact.shared_fact(False, "/proc/self/mountinfo")
    if isinstance(kernel, Known) and kernel.value >= _BARRIERS_ALWAYS:
        return read_fact.shared_fact(True, f"{kernel.source}: XFS has no nobarrier since 4.19")
    return read_fact.shared_fact(True, "/proc/self/mountinfo")


def _log_buffer(options: tuple[str, ...]) -> Fact[int]:
    text = next((it.partition("=")[2] for it in options if it.startswith("logbsize=")), None)
    size = size_bytes(text)
    if size is None:
        return Unknown(Cause.NOT_EXPOSED, "", "/proc/self/mountinfo logbsize")
    return read_fact.shared_fact(size, "/proc/self/mountinfo")


def _log_bytes(info: XfsInfo) -> int | None:
    if info.log_blocks is None or info.log_bsize_bytes is None:
        return None
    return info.log_blocks * info.log_bsize_bytes


def _in_bytes(blocks: int | None, info: XfsInfo) -> int | None:
    return None if blocks is None or info.bsize_bytes is None else blocks * info.bsize_bytes


def _log_takes_256k(info: XfsInfo) -> bool | None:
    """Log version 2 only, and a multiple of the log's stripe unit."""
    if info.log_version is None or info.log_sunit_blocks is None or info.log_bsize_bytes is None:
        return None
    unit = info.log_sunit_blocks * info.log_bsize_bytes
    return info.log_version == 2 and (unit == 0 or _LARGEST_LOG_BUFFER % unit == 0)


def _devices(
    _machine: Machine,
    mount: MountEntry,
    device: BlockDevice | None,
    tree: BlockTree,
    _listed: Any,  # noqa: ANN401 - nothing is listed
) -> Devices:
    """Its log and its real-time section may be on devices of their own."""
    paths = [option(mount, name) for name in ("logdev", "rtdev")]
    log, real_time = (tree.named(path) if path else None for path in paths)
    found = tuple(it.name for it in (device, log, real_time) if it)
    return Devices(found, len(found) == 1 + sum(map(bool, paths)), log=log.name if log else None)


def _mkfs_alike(filesystem: Filesystem) -> tuple[str, ...]:
    block, inode = read_fact.value(filesystem.block_bytes), read_fact.value(filesystem.inode_bytes)
    return (*(("-b", f"size={block}") if block else ()), *(("-i", f"size={inode}") if inode else ()))


XFS: Final = FilesystemType(
    name="xfs",
    devices=_devices,
    commands=commands,
    facts=facts,
    has_inode_table=True,
    trimmed_from_outside=True,
    printed_as=(("quota", "usrquota"),),
    syncs_unnamed_alike=True,
    places_are_offsets=True,
    mkfs_quiet=("-q", "-f"),
    mkfs_at_once=("-K",),
    mkfs_alike=_mkfs_alike,
    least_bytes=320 << 20,  # mkfs.xfs makes none below 300 MiB since 5.19
    flushes_after_sync=True,
    no_flush_options=("nobarrier",),
    in_papers=True,
    variants=(
        Variant(says="XFS as it comes"),
        Variant(suffix="tuned", says="XFS with large log buffers", options=("noatime", "logbsize=256k")),
    ),
)
