"""Facts of a mounted ZFS dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import zfs_tools
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types.base import FilesystemType

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.zfs_tools import Dataset, Pool
    from fsadvisor.storage import Atime
    from fsadvisor.survey.filesystem_types.base import Superblock
    from fsadvisor.version import Version

_COMMANDS: tuple[Argv, ...] = (zfs_tools.ZPOOL_LIST_ARGV, zfs_tools.ZFS_GET_ARGV)
_PARAMETERS = "/sys/module/zfs/parameters"


class ZfsFacts(TypedDict):
    """The fields of Filesystem that a ZFS dataset fills."""

    barriers: Fact[bool]
    zfs_dataset: Fact[str]
    zfs_pool: Fact[str]
    zfs_pool_health: Fact[str]
    zfs_pool_capacity_percent: Fact[float]
    zfs_pool_fragmentation_percent: Fact[float]
    zfs_pool_ashift: Fact[int]
    zfs_sync: Fact[str]
    zfs_logbias: Fact[str]
    zfs_atime: Fact[Atime]
    zfs_recordsize_bytes: Fact[int]
    zfs_log_flushes: Fact[bool]


def facts(machine: Machine, block: Superblock, _kernel: Fact[Version]) -> ZfsFacts:
    """Ask zpool, zfs and the module's parameters; the mount's source is the dataset."""
    pool = _pool(machine, block.source.partition("/")[0].partition("@")[0])
    dataset = _dataset(machine, block.source)
    tool = " ".join(zfs_tools.ZFS_GET_ARGV)
    listing = " ".join(zfs_tools.ZPOOL_LIST_ARGV)
    return ZfsFacts(
        barriers=_not(read_fact.switch(machine, f"{_PARAMETERS}/zfs_nocacheflush")),
        zfs_dataset=Known(block.source, "/proc/self/mountinfo"),
        zfs_pool=Known(block.source.partition("/")[0].partition("@")[0], "/proc/self/mountinfo"),
        zfs_pool_health=read_fact.field(pool, listing, lambda it: it.health),
        zfs_pool_capacity_percent=read_fact.field(pool, listing, lambda it: it.capacity_percent),
        zfs_pool_fragmentation_percent=read_fact.field(pool, listing, lambda it: it.fragmentation_percent),
        zfs_pool_ashift=read_fact.field(pool, listing, lambda it: it.ashift),
        zfs_sync=read_fact.field(dataset, tool, lambda it: it.sync),
        zfs_logbias=read_fact.field(dataset, tool, lambda it: it.logbias),
        zfs_atime=read_fact.field(dataset, tool, _atime),
        zfs_recordsize_bytes=read_fact.field(dataset, tool, lambda it: it.recordsize_bytes),
        zfs_log_flushes=_not(read_fact.switch(machine, f"{_PARAMETERS}/zil_nocacheflush")),
    )


def _not(fact: Fact[bool]) -> Fact[bool]:
    return read_fact.derive(fact, lambda it: not it)


def _pool(machine: Machine, name: str) -> Pool | Unknown:
    record = read_fact.command_record(machine, zfs_tools.ZPOOL_LIST_ARGV, zfs_tools.parse_zpool_list)
    if isinstance(record, Unknown):
        return record
    missing = Unknown(Cause.NOT_EXPOSED, "", " ".join(zfs_tools.ZPOOL_LIST_ARGV))
    return next((pool for pool in record.pools if pool.name == name), missing)


def _dataset(machine: Machine, name: str) -> Dataset | Unknown:
    record = read_fact.command_record(machine, zfs_tools.ZFS_GET_ARGV, zfs_tools.parse_zfs_get)
    if isinstance(record, Unknown):
        return record
    missing = Unknown(Cause.NOT_EXPOSED, "", " ".join(zfs_tools.ZFS_GET_ARGV))
    return next((dataset for dataset in record.datasets if dataset.name == name), missing)


def _atime(dataset: Dataset) -> Atime | None:
    if dataset.atime is None or (dataset.atime and dataset.relatime is None):
        return None
    if not dataset.atime:
        return "noatime"
    return "relatime" if dataset.relatime else "strictatime"


def _commands(_block: Superblock) -> tuple[Argv, ...]:
    return _COMMANDS


ZFS: Final = FilesystemType(
    name="zfs", on_devices=False, commands=_commands, facts=facts, own_read_ahead=True, quotas="not told"
)
