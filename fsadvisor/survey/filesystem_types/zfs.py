"""Facts of a mounted ZFS dataset."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import count, zfs_tools
from fsadvisor.survey import power_loss, read_fact
from fsadvisor.survey.filesystem_types import Devices, FilesystemType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.readers.zfs_tools import Dataset, Pool, PoolStatus, ZpoolStatus
    from fsadvisor.storage import Disk, Filesystem
    from fsadvisor.storage.about import Atime, DataVdevs, PlpVerdict, VdevKind
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.filesystem_types import Facts, Superblock
    from fsadvisor.survey.programs import RunningProgram
    from fsadvisor.version import Version


_COMMANDS: tuple[Argv, ...] = (zfs_tools.ZPOOL_LIST_ARGV, zfs_tools.ZPOOL_STATUS_ARGV, zfs_tools.ZFS_GET_ARGV)
_PARAMETERS = "/sys/module/zfs/parameters"
_ARC = "/proc/spl/kstat/zfs/arcstats"
_ARC_MAX = late(r"^c_max +\d+ +(\d+)$", re.MULTILINE)


def facts(machine: Machine, block: Superblock, _kernel: Fact[Version]) -> Facts:
    """Ask zpool, zfs and the module's parameters; the mount's source is the dataset."""
    pool_name = _pool_of(block.source)
    pool = _pool(machine, pool_name)
    status = _status(_pools(machine), pool_name)
    dataset = _dataset(machine, block.source)
    tool, zpool = " ".join(zfs_tools.ZFS_GET_ARGV), " ".join(zfs_tools.ZPOOL_STATUS_ARGV)
    listing = " ".join(zfs_tools.ZPOOL_LIST_ARGV)
    data_vdevs: Fact[DataVdevs] = read_fact.field(status, zpool, _data_vdevs)
    return {
        "barriers": _not(read_fact.switch(machine, f"{_PARAMETERS}/zfs_nocacheflush")),
        "zfs_dataset": Known(block.source, "/proc/self/mountinfo"),
        "zfs_pool": Known(pool_name, "/proc/self/mountinfo"),
        "zfs_pool_health": read_fact.field(pool, listing, lambda it: it.health),
        "zfs_pool_capacity_percent": read_fact.field(pool, listing, lambda it: it.capacity_percent),
        "zfs_pool_fragmentation_percent": read_fact.field(pool, listing, lambda it: it.fragmentation_percent),
        "zfs_pool_ashift": read_fact.field(pool, listing, lambda it: it.ashift),
        "zfs_sync": read_fact.field(dataset, tool, lambda it: it.sync),
        "zfs_logbias": read_fact.field(dataset, tool, lambda it: it.logbias),
        "zfs_atime": read_fact.field(dataset, tool, _atime),
        "zfs_recordsize_bytes": read_fact.field(dataset, tool, lambda it: it.recordsize_bytes),
        "zfs_log_flushes": _not(read_fact.switch(machine, f"{_PARAMETERS}/zil_nocacheflush")),
        "zfs_autotrim": read_fact.field(pool, listing, lambda it: it.autotrim),
        "zfs_dedup": read_fact.derive(read_fact.field(dataset, tool, lambda it: it.dedup), lambda it: it != "off"),
        "zfs_snapshots_percent": read_fact.field(
            dataset, tool, lambda it: _percent(it.used_by_snapshots_bytes, it.used_bytes)
        ),
        "zfs_quota_used_percent": read_fact.field(dataset, tool, _of_quotas),
        "zfs_compression": read_fact.derive(
            read_fact.field(dataset, tool, lambda it: it.compression), lambda it: it != "off"
        ),
        "zfs_primarycache": read_fact.field(dataset, tool, lambda it: it.primarycache),
        "zfs_arc_max_bytes": read_fact.field(read_fact.file_record(machine, _ARC, str), _ARC, _arc_max),
        "zfs_device_errors": read_fact.field(status, zpool, _device_errors),
        "zfs_lost_beside": read_fact.field(status, zpool, _lost_beside),
        "zfs_data_errors": read_fact.field(status, zpool, lambda it: it.data_errors),
        "zfs_scrubbed": read_fact.field(status, zpool, lambda it: None if it.scan is None else it.scan != "never"),
        "zfs_scrub_days": read_fact.field(status, zpool, lambda it: _scrub_days(machine, it)),
        "zfs_small_block_devices": read_fact.field(
            status, zpool, lambda it: tuple(one.name for one in it.leaves() if one.native_block_bytes)
        ),
        "one_copy_spread": read_fact.derive(data_vdevs, ("striped", "mixed").__contains__),
        "zfs_data_vdevs": data_vdevs,
        "zfs_special_vdevs": read_fact.field(status, zpool, lambda it: _kind(it, "special", "dedup")),
        "zfs_log_vdevs": read_fact.field(status, zpool, lambda it: _kind(it, "logs")),
    }


def _pool_of(dataset: str) -> str:
    return dataset.partition("/")[0].partition("@")[0]


def _percent(part: int | None, whole: int | None) -> int | None:
    return -(-100 * part // whole) if part is not None and whole else None


def _of_quotas(dataset: Dataset) -> int | None:
    """Of both limits the one that is nearer to its end; None where neither is set, or one could not be read."""
    ways = ((dataset.used_bytes, dataset.quota_bytes), (dataset.referenced_bytes, dataset.refquota_bytes))
    if any(limit is None or (used is None and limit) for used, limit in ways):
        return None
    return max((percent for used, limit in ways if (percent := _percent(used, limit)) is not None), default=0)


def _arc_max(text: str) -> int | None:
    found = _ARC_MAX.search(text)
    return count(found[1]) if found else None


def guest_volumes(block: Superblock, programs: Iterable[RunningProgram] | Unknown) -> Fact[int]:
    """How many volumes of the pool are disks of running guests that wait for their flushes."""
    if isinstance(programs, Unknown):
        return programs
    guests = [guest for guest in programs if guest.program.name == "qemu"]
    hidden = next((guest.guest_cache for guest in guests if isinstance(guest.guest_cache, Unknown)), None)
    folder = f"/dev/zvol/{_pool_of(block.source)}/"
    volumes = {
        volume
        for guest in guests
        if read_fact.value(guest.guest_cache) not in (None, "unsafe")
        and (volume := dict(guest.settings).get("guest_place") or "").startswith(folder)
    }
    return hidden if hidden and not volumes else Known(len(volumes), "arguments of QEMU")


def _device_errors(status: PoolStatus) -> tuple[str, ...] | None:
    """The devices that read, wrote or returned something wrong, and how often."""
    leaves = status.leaves()
    found = tuple(f"{it.name}: {it.errors}" for it in leaves if it.errors)
    told = all(it.errors is not None or it.section == "spares" for it in leaves)
    return found if found or (leaves and told) else None


_LOST = ("UNAVAIL", "FAULTED", "REMOVED")
"""OFFLINE is what somebody asked for."""


def _lost_beside(status: PoolStatus) -> tuple[str, ...] | None:
    """The cache devices and spares that can't be used; None where the table is cut."""
    lost = (it for it in status.leaves() if it.section in ("cache", "spares") and it.state in _LOST)
    return tuple(f"{it.name}: {it.section.rstrip('s')} {it.state}" for it in lost) if status.vdevs else None


def _scrub_days(machine: Machine, status: PoolStatus) -> int | None:
    """Days since a scrub ended; None where the last that went through the pool was none, or is under way."""
    if status.scan != "scrub" or status.scan_ended is None:
        return None
    return max(0, (machine.today - status.scan_ended).days)


_WITH_COPIES = ("mirror", "raidz", "draid")
_FOR_A_WHILE = ("spare", "replacing")
"""Both devices, until the copy is whole."""


def _tops(status: PoolStatus, *sections: str) -> list[str]:
    """Names of the vdevs that the pool stripes over."""
    return [it.name for it in status.vdevs if it.depth == 1 and it.section in sections]


def _kind(status: PoolStatus, *sections: str) -> VdevKind | None:
    """Whether each vdev of the kind survives the loss of a device."""
    tops = _tops(status, *sections)
    if not tops:
        return "none" if status.vdevs else None
    return "redundant" if all(it.startswith(_WITH_COPIES + _FOR_A_WHILE) for it in tops) else "single"


def _data_vdevs(status: PoolStatus) -> DataVdevs | None:
    """The same of those that hold the data, the loss of one of which is the pool's."""
    tops = _tops(status, "data")
    if not tops:
        return None
    if all(it.startswith(_WITH_COPIES + _FOR_A_WHILE) for it in tops):
        return "redundant"
    if any(it.startswith(_WITH_COPIES) for it in tops):
        return "mixed"
    return "single" if len(tops) == 1 else "striped"


def _not(fact: Fact[bool]) -> Fact[bool]:
    return read_fact.derive(fact, lambda it: not it)


def _pools(machine: Machine) -> ZpoolStatus | Unknown:
    return read_fact.command_record(machine, zfs_tools.ZPOOL_STATUS_ARGV, zfs_tools.parse_zpool_status)


def _status(pools: ZpoolStatus | Unknown, name: str) -> PoolStatus | Unknown:
    if isinstance(pools, Unknown):
        return pools
    missing = Unknown(Cause.NOT_EXPOSED, "", " ".join(zfs_tools.ZPOOL_STATUS_ARGV))
    return next((pool for pool in pools.pools if pool.name == name), missing)


def _devices(_machine: Machine, mount: MountEntry, _device: BlockDevice | None, tree: BlockTree, pools: Any) -> Devices:  # noqa: ANN401 - of _pools
    """The devices of the pool; its spares hold nothing yet."""
    status = _status(pools, _pool_of(mount.source))
    leaves = () if isinstance(status, Unknown) else status.leaves()
    wanted = [tree.named(it.name) for it in leaves if it.section != "spares"]
    found = tuple(it.name for it in wanted if it is not None)
    return Devices(found, bool(found) and len(found) == len(wanted))


def log_plp(machine: Machine, block: Superblock, tree: BlockTree, disks: Mapping[str, Disk]) -> Fact[PlpVerdict]:
    """The weakest power-loss verdict of the drives that the intent log is on."""
    status = _status(_pools(machine), _pool_of(block.source))
    if isinstance(status, Unknown):
        return status
    verdicts: list[PlpVerdict] = []
    for leaf in (it for it in status.leaves() if it.section == "logs"):
        device = tree.named(leaf.name)
        disk = disks.get(f"disk:{device.parent or device.name}") if device else None
        if disk is None:
            return Unknown(Cause.NOT_EXPOSED, "", f"which drive {leaf.name} is on")
        if isinstance(disk.plp, Unknown):
            return disk.plp
        verdicts.append(disk.plp.value)
    return Known(power_loss.weakest(verdicts), "zpool status, disk.plp") if verdicts else NOT_APPLICABLE


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


def _own_copies(filesystem: Filesystem) -> Fact[bool]:
    return read_fact.holds(filesystem.zfs_data_vdevs, "redundant".__eq__)


ZFS: Final = FilesystemType(
    name="zfs",
    own_copies=_own_copies,
    on_devices=False,
    listed=_pools,
    devices=_devices,
    uuid_in_common=True,
    commands_for_devices=lambda _machine, _device, _pools: (zfs_tools.ZPOOL_STATUS_ARGV,),
    devices_by=" ".join(zfs_tools.ZPOOL_STATUS_ARGV),
    commands=_commands,
    facts=facts,
    own_read_ahead=True,
    quotas="not told",
)
