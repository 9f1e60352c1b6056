"""What MegaCLI says where storcli is not there, in the words of the facts: of all volumes, for it names no disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Unknown
from fsadvisor.readers import raid_tools
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.raid_tools import Megacli, MegaRaidDrive, MegaRaidVolume
    from fsadvisor.storage import ControllerBattery, ControllerCache, DriveCaches, RaidVolume

_STATES: Final[dict[str, RaidVolume]] = {
    "Optimal": "optimal",
    "Degraded": "degraded",
    "Partially Degraded": "degraded",
    "Offline": "offline",
    "Failed": "offline",
}
_SICK: Final = ("Failed", "Offline", "Rebuild", "Unconfigured(bad)", "Missing", "Copyback")
_DISK_CACHES: Final[dict[str, DriveCaches]] = {
    "Enabled": "enabled",
    "Disabled": "disabled",
    "Disk's Default": "default",
}


def report(machine: Machine) -> tuple[str, Megacli] | Unknown:
    """Which of its names answered, and what it says."""
    found: list[Unknown] = []
    for tool in raid_tools.MEGACLI_TOOLS:
        told = read_fact.command_record(machine, raid_tools.megacli_argv(tool), raid_tools.parse_megacli)
        if not isinstance(told, Unknown):
            return tool, told
        found.append(told)
    return found[0]


def state(found: Megacli, volume: MegaRaidVolume) -> RaidVolume | None:
    """Of a volume; a drive that is being rebuilt makes a degraded one 'rebuilding'."""
    known = _STATES.get(volume.state or "")
    rebuilds = any((drive.state or "").startswith("Rebuild") for drive in found.drives)
    return "rebuilding" if known == "degraded" and rebuilds else known


def sick(found: Megacli) -> tuple[str, ...]:
    """Drives that failed, are being rebuilt, or are predicted to fail."""
    return tuple(words for drive in found.drives if (words := _trouble(drive)))


def _trouble(drive: MegaRaidDrive) -> str | None:
    if drive.state and drive.state.startswith(_SICK):
        return f"{drive.id} {drive.state}"
    return f"{drive.id} predicted to fail" if drive.predicted else None


def policy(volume: MegaRaidVolume) -> ControllerCache | None:
    """What is in force."""
    words = volume.cache or ""
    if words.startswith("WriteThrough"):
        return "write through"
    if not words.startswith("WriteBack"):
        return None
    return "write back" if "No Write Cache if Bad BBU" in words else "always write back"


def drive_caches(volume: MegaRaidVolume) -> DriveCaches | None:
    """Of the drives behind it."""
    return _DISK_CACHES.get(volume.disk_cache or "")


def battery(machine: Machine, tool: str) -> ControllerBattery | None:
    """The worst of them; a battery that learns is none that failed."""
    told = read_fact.command_record(machine, raid_tools.megacli_battery_argv(tool), raid_tools.parse_megacli_battery)
    if isinstance(told, Unknown):
        return None
    if told.replace or any(it.startswith("Failed") for it in told.states):
        return "failed"
    if any(it.startswith(("Learning", "Charging")) for it in told.states):
        return "charging"
    return "optimal" if set(told.states) <= {"Optimal", "Operational"} else None
