"""The volume that a RAID controller shows as a disk: whether it is whole, and which drives behind it are not well.

storcli(8) and perccli: Optl, Dgrd, Pdgd, Rec, OfLn of volumes; Onln, Rbld, Failed, Offln, UBad, Msng of drives. ssacli:
OK, Interim Recovery Mode, Recovering, Ready for Rebuild, Failed of volumes; OK, Predictive Failure, Failed of drives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import ssacli, storcli
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import RaidController, RaidVolume

_MEGARAID: Final[Mapping[str, RaidVolume]] = {
    "Optl": "optimal",
    "Rec": "rebuilding",
    "Dgrd": "degraded",
    "Pdgd": "degraded",
    "OfLn": "offline",
}
_SMART_ARRAY: Final[tuple[tuple[str, RaidVolume], ...]] = (
    (r"ok$", "optimal"),
    (r"recovering|rebuild|expanding|transforming", "rebuilding"),
    (r"interim recovery|ready for|waiting for|queued for", "degraded"),
    (r"failed|disabled|wrong (physical )?drive|not available", "offline"),
)
_WORST_FIRST: Final[tuple[RaidVolume, ...]] = ("offline", "degraded", "rebuilding", "optimal")
_SICK_MEGARAID: Final = frozenset({"Failed", "Offln", "UBad", "UBUnsp", "Msng", "Rbld"})
_WELL_SMART_ARRAY: Final = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """The facts; NOT_APPLICABLE where no controller stands in front."""

    state: Fact[RaidVolume] = NOT_APPLICABLE
    sick_drives: Fact[tuple[str, ...]] = NOT_APPLICABLE


def volume(machine: Machine, known: Fact[RaidController], device: str) -> Volume:
    """Ask the controller's tool; where it does not name the kernel's disk, the worst of its volumes counts."""
    tool = look.value(known)
    if isinstance(known, Unknown):
        return Volume(state=known, sick_drives=known)
    if tool == "none":
        return Volume()
    if tool == "another":
        unread = Unknown(Cause.NOT_EXPOSED, "look with the controller's own tool", known.source)
        return Volume(state=unread, sick_drives=unread)
    return _smart_array(machine, device) if tool == "ssacli" else _megaraid(machine, str(tool), device)


def _megaraid(machine: Machine, tool: str, device: str) -> Volume:
    report = look.command_record(machine, storcli.argv(tool), storcli.parse)
    if isinstance(report, Unknown):
        return Volume(state=report, sick_drives=report)
    listed = look.command_record(machine, storcli.argv(tool, storcli.VOLUMES), storcli.parse)
    named = () if isinstance(listed, Unknown) else listed.controllers
    own = {(one.number, it.id) for one in named for it in one.virtual_drives if it.device == device}
    volumes = [it for one in report.controllers for it in one.virtual_drives if not own or (one.number, it.id) in own]
    groups = {it.id.partition("/")[0] for it in volumes} if own else set()
    drives = [
        (it.id, it.state, it.model)
        for one in report.controllers
        if not own or one.number in {number for number, _ in own}
        for it in one.physical_drives
        if it.drive_group is None or not groups or str(it.drive_group) in groups
    ]
    sick = tuple(f"{at} {state}" for at, state, _ in drives if state in _SICK_MEGARAID)
    states = [_MEGARAID.get(it.state or "") for it in volumes]
    if isinstance(listed, Unknown) and (len(set(states)) > 1 or (sick and len(volumes) > 1)):
        return Volume(state=listed, sick_drives=listed)  # which of the volumes it is was to be told there
    return Volume(
        state=_worst(states, tool),
        sick_drives=Known(sick, tool) if drives else look.told(None, tool),
    )


def _smart_array(machine: Machine, device: str) -> Volume:
    report = look.command_record(machine, ssacli.CONFIG_ARGV, ssacli.parse)
    if isinstance(report, Unknown):
        return Volume(state=report, sick_drives=report)
    pairs = [(one, it) for one in report.controllers for it in one.logical_drives]
    wanted = [pair for pair in pairs if pair[1].device == device] or pairs
    drives = [it for one in {id(one): one for one, _ in wanted}.values() for it in one.physical_drives]
    sick = tuple(f"{it.id} {it.status}" for it in drives if it.status and it.status.lower() != _WELL_SMART_ARRAY)
    return Volume(
        state=_worst((_smart_array_state(it.status) for _, it in wanted), "ssacli"),
        sick_drives=Known(sick, "ssacli") if drives else look.told(None, "ssacli"),
    )


def _smart_array_state(word: str | None) -> RaidVolume | None:
    return next((state for start, state in _SMART_ARRAY if re.match(start, word or "", re.IGNORECASE)), None)


def _worst(states: Iterable[RaidVolume | None], tool: str) -> Fact[RaidVolume]:
    """The worst state; all that are not known leave it open, unless one is known to be bad."""
    found = set(states)
    worst = next((state for state in _WORST_FIRST if state in found), None)
    return look.told(None if worst == "optimal" and None in found else worst, tool)
