"""LVM's logical volumes as lvs tells them: how full thin pools and snapshots are, and their health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import lvs
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.lvs import LogicalVolume

_SOURCE = "lvs"


def volumes(machine: Machine) -> Mapping[str, LogicalVolume] | Unknown:
    """The volumes by their name in device mapper; a thin pool's own device has a suffix."""
    record = look.command_record(machine, lvs.ARGV, lvs.parse)
    if isinstance(record, Unknown):
        return record
    found: dict[str, LogicalVolume] = {}
    for volume in record.volumes:
        name = (volume.dm_path or "").removeprefix("/dev/mapper/")
        found[name] = found[f"{name}-tpool"] = volume
    return found


def facts(name: str, kind: str, known: Mapping[str, LogicalVolume] | Unknown) -> dict[str, Any]:
    """What lvs adds to a device-mapper layer of this name and kind."""
    if isinstance(known, Unknown):
        volume: LogicalVolume | Unknown = known
    else:
        volume = known.get(name, Unknown(Cause.NOT_EXPOSED, "", _SOURCE))
    if kind == "dm-thin-pool":
        return {
            "fill_percent": look.field(volume, _SOURCE, lambda it: it.data_percent),
            "pool_metadata_percent": look.field(volume, _SOURCE, lambda it: it.metadata_percent),
        }
    if kind == "dm-snapshot":
        return {"fill_percent": look.field(volume, _SOURCE, lambda it: it.data_percent)}
    if kind == "dm-raid":
        return {"lvm_health": look.field(volume, _SOURCE, lambda it: it.health)}
    return {}
