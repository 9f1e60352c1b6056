"""Block devices made of others: partitions, device mapper, md, bcache, loop, DRBD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import dm_target, dmsetup, volume_tools
from fsadvisor.readers.block_files import parse_scheduler as parse_choice
from fsadvisor.storage import Layer
from fsadvisor.survey import arrays, block, members, raid, read_fact, soundness, trends
from fsadvisor.survey.identity import SubjectIdentities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.dmsetup import DmsetupTable, Target
    from fsadvisor.readers.volume_tools import DrbdDevice, LogicalVolume, Peer
    from fsadvisor.storage import Disk
    from fsadvisor.storage.about import Replicas, VolumeManager
    from fsadvisor.survey.attested import Overlay
    from fsadvisor.survey.block import BlockDevice, Queue
    from fsadvisor.survey.inventory import Inventory, Stack

_UP_TO_DATE = "UpToDate"


def drbd_facts(machine: Machine, device: BlockDevice) -> dict[str, Any]:
    """The facts of one DRBD device, by its minor number."""
    status = read_fact.command_record(machine, volume_tools.DRBD_ARGV, volume_tools.parse_drbd)
    minor = device.number.partition(":")[2]
    own = read_fact.field(
        status, "drbdsetup status", lambda it: next((one for one in it.devices if str(one.minor) == minor), None)
    )
    if not isinstance(own, Known):
        return {"drbd_replicas": own, "drbd_write_ordering": own}
    ordering: Fact[str] = read_fact.fact_of(own.value.ordering, own.source)
    return {"drbd_replicas": read_fact.fact_of(_replicas(own.value), own.source), "drbd_write_ordering": ordering}


def _replicas(device: DrbdDevice) -> Replicas | None:
    """The state of the whole; None where a word is not told."""
    if device.disk is None:
        return None
    if device.disk != _UP_TO_DATE:
        return "syncing" if device.disk in ("Inconsistent", "Negotiating") else "no good copy here"
    if not device.peers or None in [it.disk for it in device.peers]:
        return None
    if all(map(_in_step, device.peers)):
        return "in sync"
    return "syncing" if any((it.replication or "").startswith("Sync") for it in device.peers) else "alone"


def _in_step(peer: Peer) -> bool:
    """A peer without a disk of its own (a client) has no copy that could lag."""
    return peer.disk in (_UP_TO_DATE, "Diskless") and peer.connection == "Connected"


_UUID_KINDS = (
    ("CRYPT-VERITY-", "dm-verity"),
    ("CRYPT-INTEGRITY-", "dm-integrity"),
    ("CRYPT-", "dm-crypt"),
    ("mpath-", "dm-multipath"),
    ("part", "dm-linear"),
)
"""What device-mapper UUIDs start with, by the tool that made the device. LVM's do not tell a thin pool from a RAID."""
_OF_MAPPED = ("misaligned", "cache_mode", "md_level", "fill_percent", "pool_metadata_percent", "crypt_sector_bytes")
"""What depends on the kind of a mapped device: where that is not known, it is not known either."""
_OF_A_KIND = ("kind", "md_level", "md_degraded", "md_mismatches", "md_consistency", "cache_mode", "misaligned")
"""What can't be told of a device whose directory can't be listed."""
_WITH_OFFSETS = ("dm-linear", "dm-striped", "dm-crypt")
_SAFE = frozenset(sign for sign in range(128) if chr(sign).isalnum() or chr(sign) in "#+-.:=@_\\")
_THIN_TARGETS = frozenset(("thin", "thin-pool", "vdo"))


def survey_layers(inventory: Inventory, disks: Mapping[str, Disk], overlay: Overlay) -> dict[str, Layer]:
    """Stage 3: every block device that is made of others, by id."""
    machine, tree, tables = inventory.machine, inventory.tree, inventory.tables
    found = {
        device.id: layer(machine, device, inventory.queue_of(device), tables, inventory.volumes)
        for device in tree.devices.values()
        if not device.is_disk
    }
    for subject in raid.layers_that_cache(found):
        names = raid.cache_devices(machine, tree, tree.devices[subject.partition(":")[2]], tables)
        kept_twice = raid.cache_redundant(names, inventory.stack, found, disks)
        fails = _cache_failing(names, inventory.stack, disks)
        found[subject] = replace(found[subject], cache_redundant=kept_twice, cache_failing=fails)
    for subject, paths in members.usable(machine, tree, found).items():
        found[subject] = replace(found[subject], usable_paths=paths)
    for subject, threshold in raid.autoextend(machine, found).items():
        found[subject] = replace(found[subject], autoextend_percent=threshold)
    for subject, queues in members.queueing(machine, found).items():
        found[subject] = replace(found[subject], queues_without_paths=queues)
    for subject, seconds in members.recovery(machine, tree, found).items():
        found[subject] = replace(found[subject], path_recovery_seconds=seconds)
    for subject, number in members.adapters(tree, found).items():
        found[subject] = replace(found[subject], path_adapters=number)
    found |= members.arrays_on_disks(machine, disks, found, inventory.stack)
    for subject, known in found.items():
        if read_fact.value(known.kind) == "dm-crypt":
            found[subject] = replace(known, discards_stop_here=_discards_stop(inventory, subject))
    found |= trends.pools(found, inventory.past)
    return overlay.over(
        "layer",
        found,
        SubjectIdentities(inventory.identifiers(), disks).of,
        derived=(lambda _, known: replace(known, incomplete=soundness.incomplete(known)),),
    )


def _discards_stop(inventory: Inventory, subject: str) -> Fact[bool]:
    """Whether the devices below would take what this one does not pass on."""
    device = inventory.tree.devices[subject.partition(":")[2]]
    below = [inventory.tree.devices[name] for name in device.slaves or () if name in inventory.tree.devices]
    own = inventory.queue_of(device).discards
    if not below:
        return Unknown(Cause.NOT_EXPOSED, "", f"{device.folder}/slaves")
    taken = read_fact.all_of((inventory.queue_of(it).discards for it in below), "queue/discard_max_bytes below")
    return read_fact.both(taken, read_fact.derive(own, lambda it: not it), "queue/discard_max_bytes")


def layer(
    machine: Machine,
    device: BlockDevice,
    settings: Queue,
    tables: Mapping[str, tuple[Target, ...]] | Unknown,
    volumes: Mapping[str, LogicalVolume] | Unknown,
) -> Layer:
    """All facts of a layer; `settings` of its whole device, `tables` and `volumes` of device mapper and LVM by name."""
    return Layer(
        name=Known(device.name, "/sys/block"),
        size_bytes=block.size_bytes(device.sectors),
        write_cache=settings.write_cache,
        physical_block_bytes=settings.physical_block_bytes,
        **(
            _partition(machine, device.folder, settings)
            if device.parent
            else _of_its_kind(machine, device, settings, tables, volumes)
        ),
    )


def _partition(machine: Machine, folder: str, settings: Queue) -> dict[str, Any]:
    start = block.start_bytes(machine, folder)
    return {
        "kind": Known("partition", folder),
        "start_bytes": start,
        "misaligned": block.misaligned(machine, folder, start, settings.physical_block_bytes),
    }


def _of_its_kind(
    machine: Machine,
    device: BlockDevice,
    settings: Queue,
    tables: Mapping[str, tuple[Target, ...]] | Unknown,
    volumes: Mapping[str, LogicalVolume] | Unknown,
) -> dict[str, Any]:
    folder = device.folder
    members = read_fact.fact_of(None if device.slaves is None else len(device.slaves), f"{folder}/slaves")
    if device.unlisted is not None:
        return {"members": members, **dict.fromkeys(_OF_A_KIND, device.unlisted)}
    if "dm" in device.holds:
        return {"members": members, **_device_mapper(machine, device, settings, tables, volumes)}
    if "md" in device.holds:
        shifts = arrays.data_offsets(machine, folder)
        off = block.off_blocks(shifts, settings.physical_block_bytes)
        return {"members": members, "misaligned": off, **arrays.array(machine, folder)}
    if device.name.startswith("bcache"):
        mode = read_fact.file_record(machine, f"{folder}/bcache/cache_mode", parse_choice)
        return {
            "kind": Known("bcache", folder),
            "cache_mode": read_fact.field(mode, f"{folder}/bcache/cache_mode", lambda it: it.active),
        }
    if "loop" in device.holds:
        return {
            "kind": Known("loop", folder),
            "backing_file": read_fact.text(machine, f"{folder}/loop/backing_file"),
            "direct_io": read_fact.switch(machine, f"{folder}/loop/dio"),
        }
    if device.name.startswith("drbd"):
        return {"members": members, "kind": Known("drbd", folder), **drbd_facts(machine, device)}
    if device.name.startswith("zd"):
        return {"kind": Known("zvol", folder)}
    return {"members": members, "kind": Unknown(Cause.NOT_EXPOSED, "", folder)}


def _cache_failing(names: tuple[str, ...] | Unknown, stack: Stack, disks: Mapping[str, Disk]) -> Fact[bool]:
    """Whether a drive below the cache devices fails; no cache is attached where there are none."""
    if isinstance(names, Unknown):
        return names
    failing: list[Fact[bool]] = []
    for name in names:
        top = f"disk:{name}" if f"disk:{name}" in disks else f"layer:{name}"
        drives = [disks[subject].failing for subject in (top, *stack.under(top)) if subject in disks]
        if not drives or not stack.followed(top):
            drives.append(Unknown(Cause.NOT_EXPOSED, "", f"{name}: what it stands on"))
        failing += drives
    return read_fact.any_of(failing, ", ".join(names))


def _device_mapper(
    machine: Machine,
    device: BlockDevice,
    settings: Queue,
    tables: Mapping[str, tuple[Target, ...]] | Unknown,
    volumes: Mapping[str, LogicalVolume] | Unknown,
) -> dict[str, Any]:
    mapped = read_fact.text(machine, f"{device.folder}/dm/name")
    name = read_fact.value(mapped) or ""
    targets = tables if isinstance(tables, Unknown) else tables.get(name, ())
    kind = _mapped_kind(machine, device, targets)
    found: dict[str, Any] = {
        **(dict.fromkeys(_OF_MAPPED, kind) if isinstance(kind, Unknown) else {}),
        "mapped_name": mapped,
        "kind": kind,
        "manager": _manager(machine, device, not isinstance(volumes, Unknown) and name in volumes),
        **raid.lvm_facts(name, read_fact.value(kind) or "", volumes),
    }
    if read_fact.value(kind) in _WITH_OFFSETS:
        shifts = read_fact.field(targets, "dmsetup table", _data_offsets)
        found["misaligned"] = block.off_blocks(shifts, settings.physical_block_bytes)
    if read_fact.value(kind) == "dm-crypt":
        found["crypt_flags"] = read_fact.field(targets, "dmsetup table", _crypt_flags)
        found["crypt_sector_bytes"] = read_fact.field(targets, "dmsetup table", _crypt_sector_bytes)
    if read_fact.value(kind) in ("dm-cache", "dm-writecache"):
        found["cache_mode"] = read_fact.field(targets, "dmsetup table", _cache_mode)
    if read_fact.value(kind) == "dm-multipath":
        found["queues_without_paths"] = read_fact.field(targets, "dmsetup table", _queues_now)
    if read_fact.value(kind) == "dm-thin-pool":
        found |= _pool_facts(machine, name) if read_fact.value(found["manager"]) in raid.OTHER_MANAGERS else {}
        found["fails_when_full"] = read_fact.field(targets, "dmsetup table", _fails_when_full)
    if read_fact.value(kind) == "dm-raid":
        found["md_level"] = read_fact.field(targets, "dmsetup table", raid.level_of)
    return found


def _data_offsets(targets: tuple[Target, ...]) -> tuple[int, ...] | None:
    """Where the data starts on the devices below, in sectors; None where a target does not tell."""
    legs = [leg for target in targets for leg in target.legs or ()]
    offsets = tuple(leg.offset_sectors for leg in legs if leg.offset_sectors is not None)
    return offsets if len(offsets) == len(legs) > 0 else None


def _crypt_flags(targets: tuple[Target, ...]) -> tuple[str, ...] | None:
    return next((target.detail.flags for target in targets if isinstance(target.detail, dm_target.Crypt)), None)


def _crypt_sector_bytes(targets: tuple[Target, ...]) -> int | None:
    return next(
        (target.detail.sector_size_bytes for target in targets if isinstance(target.detail, dm_target.Crypt)), None
    )


def _cache_mode(targets: tuple[Target, ...]) -> str | None:
    return next((target.detail.mode for target in targets if isinstance(target.detail, dm_target.CacheTarget)), None)


def _queues_now(targets: tuple[Target, ...]) -> bool | None:
    """Whether the kernel keeps requests without a path, be it for ever or for as long as multipathd lets it."""
    return next(
        (
            "queue_if_no_path" in it.detail.features
            for it in targets
            if isinstance(it.detail, dm_target.MultipathTarget)
        ),
        None,
    )


def _fails_when_full(targets: tuple[Target, ...]) -> bool | None:
    return next(
        ("error_if_no_space" in it.detail.features for it in targets if isinstance(it.detail, dm_target.ThinPool)), None
    )


def _mapped_kind(machine: Machine, device: BlockDevice, targets: tuple[Target, ...] | Unknown) -> Fact[str]:
    """The target type of the table, else what the UUID's prefix says."""
    if not isinstance(targets, Unknown) and targets:
        return Known("dm-" + "+".join(sorted({target.kind for target in targets})), "dmsetup table")
    path = f"{device.folder}/dm/uuid"
    uuid = read_fact.text(machine, path)
    if isinstance(uuid, Known):
        for prefix, kind in _UUID_KINDS:
            if uuid.value.startswith(prefix):
                return Known(kind, path)
    return targets if isinstance(targets, Unknown) else Unknown(Cause.NOT_EXPOSED, "", f"dmsetup table, {path}")


def _pool_facts(machine: Machine, name: str) -> dict[str, Any]:
    """How full a thin pool is that LVM did not make, by the kernel."""
    record = read_fact.command_record(machine, dmsetup.DMSETUP_POOLS_ARGV, dmsetup.parse_dmsetup_pools)
    found = record if isinstance(record, Unknown) else next((it for it in record.pools if it.name == name), None)
    pool = found or Unknown(Cause.NOT_EXPOSED, "look at it with `dmsetup status`", "dmsetup status")
    return {
        "fill_percent": read_fact.field(pool, "dmsetup status", lambda it: it.data_percent),
        "pool_metadata_percent": read_fact.field(pool, "dmsetup status", lambda it: it.metadata_percent),
        "promised_percent": NOT_APPLICABLE,
    }


def _manager(machine: Machine, device: BlockDevice, of_lvm: bool) -> Fact[VolumeManager]:
    """The volume manager that made a mapped device, by the beginning of its UUID; LVM and Stratis give each one."""
    if of_lvm:
        return Known("lvm", "lvs")
    path = f"{device.folder}/dm/uuid"
    answer = machine.read(path)
    if not isinstance(answer, Unknown) and not answer.text.strip():
        return Known("another", path)
    uuid = read_fact.text(machine, path)
    found: tuple[tuple[str, VolumeManager], ...] = (("LVM-", "lvm"), ("stratis-", "stratis"))
    return read_fact.derive(uuid, lambda it: next((who for start, who in found if it.startswith(start)), "another"))


def thin(layer: Layer) -> Fact[bool]:
    """Whether the layer's blocks are backed on demand: thin volumes, sparse files behind loop devices."""
    if isinstance(layer.kind, Unknown):
        return layer.kind
    kind = layer.kind.value
    if kind == "loop":
        return Known(True, "a loop device's file gives back what is discarded")
    if kind == "zvol":
        return Unknown(Cause.NO_TOOL, "run as root with dmsetup installed", layer.kind.source)
    return Known(bool(_THIN_TARGETS & set(kind.removeprefix("dm-").split("+"))), layer.kind.source)


def mapped_tables(record: DmsetupTable | Unknown) -> Mapping[str, tuple[Target, ...]] | Unknown:
    """The targets of each mapped device, by its name as the kernel has it, in dm/name and /dev/mapper."""
    return record if isinstance(record, Unknown) else {_mangled(it.name): it.targets for it in record.devices}


def _mangled(name: str) -> str:
    r"""What libdevmapper makes of a name before the kernel gets it, and takes back as it prints: ' ' is '\x20'."""
    every = name.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte in _SAFE else f"\\x{byte:02x}" for byte in every)
