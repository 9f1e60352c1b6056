"""What arcconf says of a volume, in the words of the facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import raid_tools
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.raid_tools import AdaptecDrive, AdaptecVolume, Arcconf
    from fsadvisor.storage import ControllerBattery, ControllerCache, DriveCaches, RaidVolume

_STATES: Final[tuple[tuple[str, RaidVolume], ...]] = (
    (r"optimal", "optimal"),
    (r"(degraded, )?rebuild|impacted|(re)?building|reconfigur", "rebuilding"),
    (r"degraded|sub-?optimal", "degraded"),
    (r"failed|offline", "offline"),
)
_SICK: Final = late(r"failed|offline|missing|rebuilding|inconsistent", re.IGNORECASE)


def report(machine: Machine, device: str) -> tuple[Arcconf, tuple[AdaptecVolume, ...]] | Unknown:
    """The controller and the volumes that may be the disk: it alone, where its name is told, else all of them."""
    found = read_fact.command_record(machine, raid_tools.ARCCONF_ARGV, raid_tools.parse_arcconf)
    if isinstance(found, Unknown):
        return found
    own = tuple(it for it in found.volumes if it.device == device)
    if own or (found.controllers == 1 and all(it.device is None for it in found.volumes)):
        return found, own or found.volumes
    return Unknown(
        Cause.NOT_EXPOSED, "look with `arcconf getconfig N` at each controller", "the first names another disk"
    )


def state(volume: AdaptecVolume) -> RaidVolume | None:
    """Of the volume."""
    word = volume.status or ""
    return next((found for start, found in _STATES if re.match(start, word, re.IGNORECASE)), None)


def sick(found: Arcconf, volumes: tuple[AdaptecVolume, ...]) -> tuple[str, ...]:
    """Drives that failed, are about to, are missing or being rebuilt; of all volumes, for a drive names none."""
    drives = (_trouble(drive) for drive in found.drives)
    missing = (f"{segment} of volume {volume.number} missing" for volume in volumes for segment in volume.missing)
    return (*(it for it in drives if it), *missing)


def _trouble(drive: AdaptecDrive) -> str | None:
    if drive.state and _SICK.match(drive.state):
        return f"device {drive.number} {drive.state}"
    return f"device {drive.number} predicted to fail" if drive.predicted_to_fail else None


def policy(volume: AdaptecVolume) -> ControllerCache | None:
    """What is in force; 'when protected' falls back by itself."""
    setting, status = (volume.write_setting or "").lower(), (volume.write_status or "").lower()
    if setting.startswith(("disabled", "off")) or status == "off":
        return "write through"
    if not setting.startswith(("enabled", "on")):
        return None
    return "write back" if "protected" in setting else "always write back"


def battery(found: Arcconf) -> ControllerBattery | None:
    """Battery or capacitor; one that is not ready may be charging, unless the capacitor itself is told dead."""
    word = (found.backup_status or "").lower()
    if word in ("ready", "optimal"):
        return "optimal"
    if word == "not present":
        return "absent"
    if "charging" in word:
        return "charging"
    dead = (found.supercap_status or "").lower() in ("fatal", "failed")
    return "failed" if dead or word.startswith(("fail", "fatal")) else None


def drive_caches(found: Arcconf) -> DriveCaches | None:
    """Where all drives agree."""
    words = {(drive.write_cache or "").partition(" ")[0] for drive in found.drives}
    known: dict[str, DriveCaches] = {"Enabled": "enabled", "Disabled": "disabled"}
    return known.get(words.pop()) if len(words) == 1 else None
