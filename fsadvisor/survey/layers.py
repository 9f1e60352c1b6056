"""Block devices made of others: partitions, device mapper, md, bcache, loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers.dm_target import Cache, Crypt
from fsadvisor.readers.scheduler import parse as parse_choice
from fsadvisor.storage import Layer
from fsadvisor.survey import look, queue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.dmsetup_table import DmsetupTable, Target
    from fsadvisor.survey.block import BlockDevice
    from fsadvisor.survey.queue import Queue

_UUID_KINDS = (("CRYPT-", "dm-crypt"), ("mpath-", "dm-multipath"), ("LVM-", "dm-lvm"), ("part", "dm-linear"))
"""What device-mapper UUIDs start with, by the tool that made the device."""
_THIN_TARGETS = frozenset(("thin", "thin-pool", "vdo"))


def layer(
    machine: Machine, device: BlockDevice, settings: Queue, tables: Mapping[str, tuple[Target, ...]] | Unknown
) -> Layer:
    """All facts of a layer; `settings` are those of its whole device, `tables` the device-mapper tables by name."""
    return Layer(
        name=Known(device.name, "/sys/block"),
        size_bytes=queue.size_bytes(device.sectors),
        write_cache=settings.write_cache,
        **(_partition(machine, device.folder, settings) if device.parent else _of_its_kind(machine, device, tables)),
    )


def _partition(machine: Machine, folder: str, settings: Queue) -> dict[str, Any]:
    start = queue.start_bytes(machine, folder)
    return {
        "kind": Known("partition", folder),
        "start_bytes": start,
        "misaligned": queue.misaligned(machine, folder, start, settings.physical_block_bytes),
    }


def _of_its_kind(
    machine: Machine, device: BlockDevice, tables: Mapping[str, tuple[Target, ...]] | Unknown
) -> dict[str, Any]:
    folder = device.folder
    if "dm" in device.holds:
        return _device_mapper(machine, device, tables)
    if "md" in device.holds:
        return _raid(machine, folder)
    if device.name.startswith("bcache"):
        mode = look.file_record(machine, f"{folder}/bcache/cache_mode", parse_choice)
        return {
            "kind": Known("bcache", folder),
            "cache_mode": look.field(mode, f"{folder}/bcache/cache_mode", lambda it: it.active),
        }
    if "loop" in device.holds:
        return {
            "kind": Known("loop", folder),
            "backing_file": look.text(machine, f"{folder}/loop/backing_file"),
            "direct_io": look.switch(machine, f"{folder}/loop/dio"),
        }
    return {"kind": Known("zvol" if device.name.startswith("zd") else "stacked", folder)}


def _raid(machine: Machine, folder: str) -> dict[str, Any]:
    return {
        "kind": Known("md", folder),
        "md_level": look.text(machine, f"{folder}/md/level"),
        "md_chunk_bytes": look.number(machine, f"{folder}/md/chunk_size"),
        "md_degraded": look.number(machine, f"{folder}/md/degraded"),
        "md_consistency": look.text(machine, f"{folder}/md/consistency_policy"),
    }


def _device_mapper(
    machine: Machine, device: BlockDevice, tables: Mapping[str, tuple[Target, ...]] | Unknown
) -> dict[str, Any]:
    name = look.value(look.text(machine, f"{device.folder}/dm/name")) or ""
    targets = tables if isinstance(tables, Unknown) else tables.get(name, ())
    kind = _mapped_kind(machine, device, targets)
    found: dict[str, Any] = {"kind": kind}
    if look.value(kind) == "dm-crypt":
        found["crypt_flags"] = look.field(targets, "dmsetup table", _crypt_flags)
    if look.value(kind) == "dm-cache":
        found["cache_mode"] = look.field(targets, "dmsetup table", _cache_mode)
    return found


def _crypt_flags(targets: tuple[Target, ...]) -> tuple[str, ...] | None:
    return next((target.detail.flags for target in targets if isinstance(target.detail, Crypt)), None)


def _cache_mode(targets: tuple[Target, ...]) -> str | None:
    return next((target.detail.mode for target in targets if isinstance(target.detail, Cache)), None)


def _mapped_kind(machine: Machine, device: BlockDevice, targets: tuple[Target, ...] | Unknown) -> Fact[str]:
    """The target type of the table, else what the UUID's prefix says."""
    if not isinstance(targets, Unknown) and targets:
        return Known("dm-" + "+".join(sorted({target.kind for target in targets})), "dmsetup table")
    path = f"{device.folder}/dm/uuid"
    uuid = look.text(machine, path)
    if isinstance(uuid, Known):
        for prefix, kind in _UUID_KINDS:
            if uuid.value.startswith(prefix):
                return Known(kind, path)
    return targets if isinstance(targets, Unknown) else Unknown(Cause.NOT_EXPOSED, "", path)


def thin(layer: Layer) -> Fact[bool]:
    """Whether the layer's blocks are backed on demand: thin volumes, sparse files behind loop devices."""
    if isinstance(layer.kind, Unknown):
        return layer.kind
    kind = layer.kind.value
    if kind == "loop":
        return Known(True, "a loop device's file gives back what is discarded")
    if kind in ("dm-lvm", "zvol"):
        return Unknown(Cause.NO_TOOL, "run as root with dmsetup installed", layer.kind.source)
    return Known(bool(_THIN_TARGETS & set(kind.removeprefix("dm-").split("+"))), layer.kind.source)


def mapped_tables(record: DmsetupTable | Unknown) -> Mapping[str, tuple[Target, ...]] | Unknown:
    """The targets of each mapped device, by its name."""
    return record if isinstance(record, Unknown) else {it.name: it.targets for it in record.devices}
