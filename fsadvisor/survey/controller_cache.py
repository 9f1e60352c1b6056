"""The write cache of the RAID controller in front of a disk: its policy, its battery, and the drives' own caches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import ssacli, storcli
from fsadvisor.storage import ControllerBattery, ControllerCache, DriveCaches, RaidController
from fsadvisor.survey import controllers, look

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Transport

_MAY_BE_VOLUMES = ("scsi", "sas", "sata", "fc", "iscsi")
_SETTLING = re.compile(r"charg|learn|transition", re.IGNORECASE)
_DRIVE_CACHES: dict[str, DriveCaches] = {
    "disabled": "disabled",
    "enabled": "enabled",
    "default": "default",
    "Disable": "disabled",
    "Enable": "enabled",
    "Default": "default",
}
_POLICIES: dict[str, ControllerCache] = {
    "write back": "write back",
    "always write back": "always write back",
    "write through": "write through",
}

T = TypeVar("T", ControllerCache, ControllerBattery, DriveCaches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """The facts; NOT_APPLICABLE where no controller stands in front."""

    policy: Fact[ControllerCache] = NOT_APPLICABLE
    battery: Fact[ControllerBattery] = NOT_APPLICABLE
    drive_caches: Fact[DriveCaches] = NOT_APPLICABLE


@dataclass(frozen=True, slots=True)
class _Volume:
    """What one volume that may be the disk says; None where the tool does not."""

    policy: ControllerCache | None
    battery: ControllerBattery | None
    drive_caches: DriveCaches | None


def controller(transport: Fact[Transport], vendor: Fact[str], model: Fact[str]) -> Fact[RaidController]:
    """The tool that knows the controller whose volume the disk is, 'none' for a disk that is no volume."""
    kind = look.value(transport)
    if kind is not None and kind not in _MAY_BE_VOLUMES:
        return Known("none", transport.source)
    if isinstance(vendor, Unknown):
        return vendor
    if isinstance(model, Unknown):
        return model
    return Known(controllers.tool(vendor, model) or "none", f"SCSI vendor {vendor.value}, model {model.value}")


def cache(machine: Machine, known: Fact[RaidController], device: str) -> Cache:
    """Ask the controller's tool; where it does not name the kernel's disk, all its volumes have to agree."""
    tool = look.value(known)
    if isinstance(known, Unknown):
        return Cache(policy=known, battery=known, drive_caches=known)
    if tool == "none":
        return Cache()
    if tool == "another":
        unread = Unknown(Cause.NOT_EXPOSED, "look with the controller's own tool", known.source)
        return Cache(policy=unread, battery=unread, drive_caches=unread)
    found = _smart_array(machine, device) if tool == "ssacli" else _megaraid(machine, str(tool), device)
    if isinstance(found, Unknown):
        return Cache(policy=found, battery=found, drive_caches=found)
    return Cache(
        policy=_agreed((it.policy for it in found), str(tool)),
        battery=_agreed((it.battery for it in found), str(tool)),
        drive_caches=_agreed((it.drive_caches for it in found), str(tool)),
    )


def _agreed(words: Iterable[T | None], tool: str) -> Fact[T]:
    found = set(words)
    return look.told(found.pop() if len(found) == 1 else None, tool)


def _megaraid(machine: Machine, tool: str, device: str) -> list[_Volume] | Unknown:
    report = look.command_record(machine, storcli.argv(tool), storcli.parse)
    if isinstance(report, Unknown):
        return report
    listed = look.command_record(machine, storcli.argv(tool, storcli.VOLUMES), storcli.parse)
    if isinstance(listed, Unknown):
        return listed
    pairs = [(one.number, volume) for one in listed.controllers for volume in one.virtual_drives]
    wanted = [pair for pair in pairs if pair[1].device == device] or pairs
    return [
        _Volume(
            _POLICIES.get(volume.cache.write or "") if volume.cache else None,
            _packs(one),
            _DRIVE_CACHES.get(volume.disk_cache_policy or ""),
        )
        for one in report.controllers
        for number, volume in wanted
        if number == one.number
    ]


def _packs(one: storcli.Controller) -> ControllerBattery | None:
    """The worst of the batteries and capacitors; 'absent' only where the controller says so."""
    states = [_state(pack.state, "Optimal") for pack in one.energy_packs]
    if not states:
        return "absent" if one.bbu == "Absent" else None
    worst: tuple[ControllerBattery | None, ...] = ("failed", None, "charging", "optimal")
    return next(state for state in worst if state in states)


def _state(word: str | None, good: str) -> ControllerBattery | None:
    if word is None:
        return None
    if word == good:
        return "optimal"
    return "charging" if _SETTLING.search(word) else "failed"


def _smart_array(machine: Machine, device: str) -> list[_Volume] | Unknown:
    report = look.command_record(machine, ssacli.CONFIG_ARGV, ssacli.parse)
    if isinstance(report, Unknown):
        return report
    pairs = [(one, volume) for one in report.controllers for volume in one.logical_drives]
    wanted = [pair for pair in pairs if pair[1].device == device] or pairs
    return [_Volume(_policy(one, volume), _battery(one), _drives(one)) for one, volume in wanted]


def _policy(one: ssacli.Controller, volume: ssacli.LogicalDrive) -> ControllerCache | None:
    disabled = "disabled" in (one.cache_status or "").lower()  # temporarily or permanently, whatever is configured
    if volume.caching is False or disabled:
        return "write through"
    if volume.caching is None or one.no_battery_write_cache is None:
        return None
    return "always write back" if one.no_battery_write_cache else "write back"


def _battery(one: ssacli.Controller) -> ControllerBattery | None:
    if one.battery_status is None:
        return "absent" if one.battery_count == 0 else None
    return _state(one.battery_status, "OK")


def _drives(one: ssacli.Controller) -> DriveCaches | None:
    if one.drive_write_cache is not None:
        return "enabled" if one.drive_write_cache else "disabled"
    return _DRIVE_CACHES.get(one.configured_drive_write_cache or "")
