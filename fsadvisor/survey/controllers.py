"""RAID controllers: what stands in front of a disk that is one of their volumes, and whether its cache survives.

A volume keeps acknowledged writes where the battery or CacheVault is Optimal, the policy is 'write back' (which falls
back to 'write through' when the battery fails; 'always write back' does not), and the drives' own caches are off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.readers import ssacli, storcli
from fsadvisor.survey import look
from fsadvisor.survey.power_loss import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.facts import Fact
    from fsadvisor.machine.port import Argv, Machine

Tool: TypeAlias = Literal["storcli64", "perccli64", "ssacli", "another"]

_VOLUMES: tuple[tuple[str, str, Tool], ...] = (
    ("DELL", r"PERC", "perccli64"),
    ("AVAGO|LSI|BROADCOM", r"MR|MegaRAID|SAS ?9|RAID", "storcli64"),
    ("LENOVO|IBM", r"RAID|ServeRAID", "storcli64"),
    ("FTS|FUJITSU", r"PRAID|RAID", "storcli64"),
    ("CISCO", r"UCS|RAID", "storcli64"),
    ("INTEL", r"RS\d|RMS\d|RAID", "storcli64"),
    ("SMC", r"SMC\d", "storcli64"),
    ("HPE?|COMPAQ", r"LOGICAL VOLUME", "ssacli"),
    ("ADAPTEC|ASR.*|MSCC|MICROSEMI|ARECA|AMCC|3WARE|DPT|PROMISE", r"", "another"),
)
"""SCSI vendor, start of the model, and the tool that knows the controller."""
_BY_HAND = "the controller's own tool (arcconf, tw_cli, areca-cli)"
_SETTLING = re.compile(r"charg|learn|transition", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """What stands in front of a volume; `missing` are the answers that its tool did not give."""

    evidence: tuple[Evidence, ...]
    missing: tuple[Unknown, ...]


def tool(vendor: Fact[str], model: Fact[str]) -> Tool | None:
    """The tool to ask about a disk that names itself like a controller's volume; None for a drive."""
    if not isinstance(vendor, Known) or not isinstance(model, Known):
        return None
    return next((tool for maker, start, tool in _VOLUMES if _fits(maker, vendor) and _starts(start, model)), None)


def _fits(maker: str, vendor: Known[str]) -> bool:
    return re.fullmatch(maker, vendor.value.strip(), re.IGNORECASE) is not None


def _starts(start: str, model: Known[str]) -> bool:
    return re.match(start, model.value.strip(), re.IGNORECASE) is not None


def commands(tool: Tool | None) -> tuple[Argv, ...]:
    """What to ask; nothing for drives and for controllers whose tool is not read."""
    if tool == "ssacli":
        return (ssacli.CONFIG_ARGV,)
    if tool in ("storcli64", "perccli64"):
        return storcli.argv(tool), storcli.argv(tool, storcli.VOLUMES)
    return ()


def unasked(tool: Tool) -> Unknown:
    """What to do where the tool was not, or can't be, asked."""
    asked = " and ".join(f"`{' '.join(argv)}`" for argv in commands(tool)) or _BY_HAND
    return Unknown(Cause.NOT_EXPOSED, f"look with {asked} at the battery, the cache policy and the drives' own caches")


def front(machine: Machine, tool: Tool | None, device: str) -> Front | None:
    """The controller in front of a volume, None where there is none."""
    if tool is None:
        return None
    if tool == "another":
        return Front(evidence=(), missing=(unasked(tool),))
    if tool == "ssacli":
        report = look.command_record(machine, ssacli.CONFIG_ARGV, ssacli.parse)
        if isinstance(report, Unknown):
            return Front(evidence=(), missing=(report,))
        return Front(evidence=tuple(_smart_array(report, device)), missing=())
    answers = [look.command_record(machine, argv, storcli.parse) for argv in commands(tool)]
    controllers, volumes = answers
    if isinstance(controllers, Unknown) or isinstance(volumes, Unknown):
        return Front(evidence=(), missing=tuple(it for it in answers if isinstance(it, Unknown)))
    return Front(evidence=tuple(_megaraid(tool, controllers, volumes, device)), missing=())


def _megaraid(
    tool: str, report: storcli.StorcliReport, volumes: storcli.StorcliReport, device: str
) -> Iterator[Evidence]:
    """The volume of that name, or, where the tool gives none, each volume that may be it."""
    pairs = [(one.number, volume) for one in volumes.controllers for volume in one.virtual_drives]
    named = [(number, volume) for number, volume in pairs if volume.device == device]
    for controller in report.controllers:
        for number, volume in named or pairs:
            if number == controller.number:
                yield _megaraid_volume(tool, controller, volume)


def _megaraid_volume(tool: str, controller: storcli.Controller, volume: storcli.VirtualDrive) -> Evidence:
    packs = controller.energy_packs
    states = ", ".join(f"{pack.kind} {pack.state}" for pack in packs) or "no battery or CacheVault"
    policy = volume.cache.write if volume.cache else None
    says = f"volume {volume.id}: {states}; policy {policy}; drives' caches {volume.disk_cache_policy}"
    worn = [pack for pack in packs if pack.state != "Optimal"]
    if any(pack.state and not _SETTLING.search(pack.state) for pack in worn):
        return Evidence("failed", says, tool, "veto")
    if worn or controller.status not in (None, "Optimal"):
        return Evidence("unknown", f"{says}; controller {controller.status}", tool)
    if not packs:
        return Evidence("absent" if policy == "always write back" else "unknown", says, tool)
    return _by_caches(
        says, tool, policy == "write back", {"disabled": False, "enabled": True}, volume.disk_cache_policy
    )


def _by_caches(says: str, tool: str, falls_back: bool, words: dict[str, bool], drives: str | None) -> Evidence:
    """With a good battery: the drives' own caches decide, then whether the policy minds the battery."""
    caching = words.get(drives or "")
    if caching is None:
        return Evidence("unknown", f"{says}: the drives' own caches may be on", tool)
    if caching:
        return Evidence("partial", f"{says}: the drives' own caches are not covered", tool)
    return Evidence("proven" if falls_back else "claimed", says, tool)


def _smart_array(report: ssacli.SsacliReport, device: str) -> Iterator[Evidence]:
    pairs = [(one, volume) for one in report.controllers for volume in one.logical_drives]
    named = [(one, volume) for one, volume in pairs if volume.device == device]
    for controller, volume in named or pairs:
        yield _smart_array_volume(controller, volume)


def _smart_array_volume(controller: ssacli.Controller, volume: ssacli.LogicalDrive) -> Evidence:
    battery, cache = controller.battery_status, controller.cache_status
    drives = controller.configured_drive_write_cache
    if controller.drive_write_cache is not None:
        drives = "Enable" if controller.drive_write_cache else "Disable"
    says = f"logical drive {volume.number}: battery or capacitor {battery}; cache {cache}; drives' caches {drives}"
    if battery is not None and battery != "OK":
        failed = not _SETTLING.search(battery)
        return Evidence("failed" if failed else "unknown", says, "ssacli", "veto" if failed else "note")
    if battery is None:
        return Evidence("absent" if controller.no_battery_write_cache else "unknown", says, "ssacli")
    if cache != "OK" or volume.caching is not True:
        return Evidence("unknown", f"{says}; its cache does not serve this volume", "ssacli")
    falls_back = controller.no_battery_write_cache is False
    words = {"Disable": False, "Disabled": False, "Enable": True, "Enabled": True}
    return _by_caches(says, "ssacli", falls_back, words, drives)
