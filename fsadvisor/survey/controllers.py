"""RAID controllers: which disks are their volumes, how those are, their caches and batteries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import raid_tools, ssacli, storcli
from fsadvisor.storage.about import ControllerBattery, ControllerCache, DriveCaches, RaidController
from fsadvisor.survey import controller_tools as tools
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sized

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage.about import RaidVolume, Transport
    from fsadvisor.survey.block import BlockDevice

_MAY_BE_VOLUMES = ("scsi", "sas", "sata", "fc", "iscsi")
_SETTLING = late(r"charg|learn|transition", re.IGNORECASE)
_DEAD = late(r"fail|dgd|degrad|miss|msng|replac|absent|not present|dead|bad|error|attention", re.IGNORECASE)
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


class Cache(Struct, frozen=True, kw_only=True):
    """The facts; NOT_APPLICABLE where no controller stands in front."""

    policy: Fact[ControllerCache] = NOT_APPLICABLE
    battery: Fact[ControllerBattery] = NOT_APPLICABLE
    drive_caches: Fact[DriveCaches] = NOT_APPLICABLE


class _Volume(Struct, frozen=True):
    """What one volume that may be the disk says; None where the tool does not."""

    policy: ControllerCache | None
    battery: ControllerBattery | None
    drive_caches: DriveCaches | None


def controller(
    machine: Machine, kind: Fact[Transport], vendor: Fact[str], model: Fact[str], hardware: str
) -> Fact[RaidController]:
    """The tool that knows the controller whose volume the disk is, 'none' for a disk that is no volume."""
    if isinstance(kind, Known) and kind.value not in _MAY_BE_VOLUMES:
        is_card = kind.value == "nvme" and tools.is_boot_card(model)
        return Known("another", f"model {read_fact.value(model)}") if is_card else Known("none", kind.source)
    return tools.by_name_or_place(machine, vendor, model, hardware)


def cache(machine: Machine, known: Fact[RaidController], device: str) -> Cache:
    """Ask the controller's tool; where it does not name the kernel's disk, all its volumes have to agree."""
    tool = read_fact.value(known)
    if isinstance(known, Unknown):
        return Cache(policy=known, battery=known, drive_caches=known)
    if tool == "none":
        return Cache()
    if tool == "mvcli":
        return marvell_cache(machine)
    if tool in tools.UNREAD:
        return Cache(**dict.fromkeys(Cache.__struct_fields__, tools.unread(known)))
    found = _ask(machine, str(tool), device)
    if isinstance(found, Unknown):
        return Cache(policy=found, battery=found, drive_caches=found)
    return Cache(
        policy=_agreed((it.policy for it in found), str(tool)),
        battery=_agreed((it.battery for it in found), str(tool)),
        drive_caches=_agreed((it.drive_caches for it in found), str(tool)),
    )


def _ask(machine: Machine, tool: str, device: str) -> list[_Volume] | Unknown:
    if tool == "ssacli":
        return _smart_array(machine, device)
    return _adaptec(machine, device) if tool == "arcconf" else _megaraid(machine, tool, device)


def _adaptec(machine: Machine, device: str) -> list[_Volume] | Unknown:
    report = tools.arcconf_report(machine, device)
    if isinstance(report, Unknown):
        return report
    controller, volumes = report
    battery, caches = tools.arcconf_battery(controller), tools.arcconf_drive_caches(controller)
    return [_Volume(tools.arcconf_policy(volume), battery, caches) for volume in volumes]


def _agreed(words: Iterable[T | None], tool: str) -> Fact[T]:
    found = set(words)
    return read_fact.fact_of(found.pop() if len(found) == 1 else None, tool)


def _megaraid(machine: Machine, tool: str, device: str) -> list[_Volume] | Unknown:
    tool = tools.knowing(machine, tool, device)
    report = read_fact.command_record(machine, storcli.argv(tool), storcli.parse)
    if isinstance(report, Unknown):
        return _by_megacli(machine) or report
    listed = read_fact.command_record(machine, storcli.argv(tool, storcli.VOLUMES), storcli.parse)
    if isinstance(listed, Unknown):
        return listed
    pairs = [(controller.number, volume) for controller in listed.controllers for volume in controller.virtual_drives]
    wanted = [pair for pair in pairs if pair[1].device == device] or pairs
    if tools.is_another(wanted, device):
        return tools.unlisted(tool, device)
    return [
        _Volume(
            _POLICIES.get(volume.cache_policy or ""),
            _packs(controller),
            _DRIVE_CACHES.get(volume.disk_cache_policy or ""),
        )
        for controller in report.controllers
        for number, volume in wanted
        if number == controller.number
    ]


def _by_megacli(machine: Machine) -> list[_Volume] | None:
    """What the older tool says of all volumes, where it is there."""
    report = tools.megacli_report(machine)
    if isinstance(report, Unknown):
        return None
    tool, answer = report
    battery = tools.megacli_battery(machine, tool)
    return [_Volume(tools.megacli_policy(it), battery, tools.megacli_drive_caches(it)) for it in answer.volumes]


def _packs(controller: storcli.Controller) -> ControllerBattery | None:
    """The worst of the packs, bad ones also while they learn; 'absent' only where the controller says so."""
    states = [_state(state, "Optimal") for state in controller.energy_packs]
    if not states:
        return "absent" if controller.bbu == "Absent" else None
    if controller.learns:
        states = [state or "charging" for state in states]
    worst: tuple[ControllerBattery | None, ...] = ("failed", None, "charging", "optimal")
    return next(state for state in worst if state in states)


def _state(word: str | None, good: str) -> ControllerBattery | None:
    if word is None:
        return None
    if word == good:
        return "optimal"
    if _SETTLING.search(word):
        return "charging"
    return "failed" if _DEAD.search(word) else None


def _smart_array(machine: Machine, device: str) -> list[_Volume] | Unknown:
    report = read_fact.command_record(machine, ssacli.CONFIG_ARGV, ssacli.parse)
    if isinstance(report, Unknown):
        return report
    pairs = [(controller, volume) for controller in report.controllers for volume in controller.logical_drives]
    wanted = [pair for pair in pairs if pair[1].device == device] or pairs
    return [
        _Volume(_policy(controller, volume), _battery(controller), _drives(controller)) for controller, volume in wanted
    ]


def _policy(controller: ssacli.SmartArray, volume: ssacli.LogicalDrive) -> ControllerCache | None:
    # temporarily or permanently, whatever is configured
    disabled = "disabled" in (controller.cache_status or "").lower()
    if volume.caching is False or disabled:
        return "write through"
    if volume.caching is None or controller.no_battery_write_cache is None:
        return None
    return "always write back" if controller.no_battery_write_cache else "write back"


def _battery(controller: ssacli.SmartArray) -> ControllerBattery | None:
    if controller.battery_status is None:
        return "absent" if controller.battery_count == 0 else None
    return _state(controller.battery_status, "OK")


def _drives(controller: ssacli.SmartArray) -> DriveCaches | None:
    if controller.drive_write_cache is not None:
        return "enabled" if controller.drive_write_cache else "disabled"
    return _DRIVE_CACHES.get(controller.configured_drive_write_cache or "")


_MEGARAID: Final[Mapping[str, RaidVolume]] = {
    "Optl": "optimal",
    "Rec": "rebuilding",
    "Dgrd": "degraded",
    "Pdgd": "degraded",
    "OfLn": "offline",
}
_SMART_ARRAY: Final[tuple[tuple[str, RaidVolume], ...]] = (
    (r"ok$|expanding|transforming|queued for (?:expansion|transformation)", "optimal"),
    (r"recovering|rebuild", "rebuilding"),
    (r"interim recovery|ready for|waiting for|queued for", "degraded"),
    (r"failed|disabled|wrong (physical )?drive|not available", "offline"),
)
_WORST_FIRST: Final[tuple[RaidVolume, ...]] = ("offline", "degraded", "rebuilding", "optimal")
_SICK_MEGARAID: Final = frozenset(
    {"Failed", "Offln", "UBad", "UBUnsp", "Msng", "Rbld", "Offline", "Missing", "Rebuild", "Unusable", "Bad"}
)
_WELL_STORCLI2: Final = frozenset({"Online", "Good"})  # of its other words not all are known


class Volume(Struct, frozen=True, kw_only=True):
    """The facts; NOT_APPLICABLE where no controller stands in front."""

    state: Fact[RaidVolume] = NOT_APPLICABLE
    sick_drives: Fact[tuple[str, ...]] = NOT_APPLICABLE
    drive_errors: Fact[tuple[str, ...]] = NOT_APPLICABLE
    foreign_drives: Fact[tuple[str, ...]] = NOT_APPLICABLE
    patrol_read: Fact[bool] = NOT_APPLICABLE


def volume(machine: Machine, known: Fact[RaidController], disk: BlockDevice) -> Volume:
    """Ask the controller's tool; where it does not name the kernel's disk, the worst of its volumes counts."""
    tool = read_fact.value(known)
    if isinstance(known, Unknown):
        return Volume(state=known, sick_drives=known)
    if tool == "none":
        return Volume()
    if tool in tools.UNREAD:
        unread = tools.unread(known)
        return Volume(state=read_fact.first(tools.state_by_kernel(machine, disk), unread), sick_drives=unread)
    if tool == "mvcli":
        return _marvell_volume(machine)
    of = {"arcconf": _adaptec_volume, "ssacli": _smart_array_volume}.get(str(tool))
    return of(machine, disk.path) if of else _megaraid_volume(machine, str(tool), disk.path)


_MARVELL: Final[Mapping[str, RaidVolume]] = {
    "functional": "optimal",
    "optimal": "optimal",
    "degraded": "degraded",
    "partially optimal": "degraded",
    "offline": "offline",
    "failed": "offline",
    "missing": "offline",
}


def marvell_cache(machine: Machine) -> Cache:
    """These controllers say that they have no cache of their own; of the drives' they say nothing."""
    found = read_fact.command_record(machine, raid_tools.MVCLI_ARGV, raid_tools.parse_mvcli)
    if isinstance(found, Unknown):
        return Cache(policy=found, battery=found, drive_caches=found)
    none = bool(found.volumes) and all(re.match("not supp", it.cache_mode or "", re.IGNORECASE) for it in found.volumes)
    policy: Fact[ControllerCache] = read_fact.fact_of("write through" if none else None, "mvcli")
    return Cache(policy=policy, battery=Known("absent", "mvcli"), drive_caches=read_fact.fact_of(None, "mvcli"))


def _marvell_volume(machine: Machine) -> Volume:
    found = read_fact.command_record(machine, raid_tools.MVCLI_ARGV, raid_tools.parse_mvcli)
    if isinstance(found, Unknown):
        return Volume(state=found, sick_drives=found)
    states = [_marvell_state(it) for it in found.volumes]
    return Volume(state=_worst(states, "mvcli"), sick_drives=read_fact.fact_of(None, "mvcli", "look: mvcli info -o pd"))


def _marvell_state(volume: raid_tools.MarvellVolume) -> RaidVolume | None:
    """The worse of both of its words; a rebuild that runs counts for a degraded one."""
    told = [_MARVELL.get(it) for it in (volume.status, volume.state) if it]
    worst = next((it for it in _WORST_FIRST if it in told), None) if None not in told else None
    return "rebuilding" if worst == "degraded" and volume.running else worst


def _adaptec_volume(machine: Machine, device: str) -> Volume:
    report = tools.arcconf_report(machine, device)
    if isinstance(report, Unknown):
        return Volume(state=report, sick_drives=report)
    controller, volumes = report
    sick = tools.arcconf_sick(controller, volumes)
    return Volume(
        state=_worst(map(tools.arcconf_state, volumes), "arcconf"),
        sick_drives=Known(sick, "arcconf") if controller.drives or sick else read_fact.fact_of(None, "arcconf"),
    )


def _megaraid_volume(machine: Machine, tool: str, device: str) -> Volume:
    tool = tools.knowing(machine, tool, device)
    report = read_fact.command_record(machine, storcli.argv(tool), storcli.parse)
    if isinstance(report, Unknown):
        return _volume_by_megacli(machine) or Volume(**dict.fromkeys(Volume.__struct_fields__, report))
    listed = read_fact.command_record(machine, storcli.argv(tool, storcli.VOLUMES), storcli.parse)
    named = () if isinstance(listed, Unknown) else listed.controllers
    own = {(one.number, it.id) for one in named for it in one.virtual_drives if it.device == device}
    if tools.is_another([(one.number, it) for one in named for it in one.virtual_drives], device):
        return Volume(**dict.fromkeys(Volume.__struct_fields__, tools.unlisted(tool, device)))
    volumes = [it for one in report.controllers for it in one.virtual_drives if not own or (one.number, it.id) in own]
    groups = {it.id.partition("/")[0] for it in volumes} if own else set()
    drives = [
        (drive.id, drive.state, drive.model)
        for one in report.controllers
        if not own or one.number in {number for number, _ in own}
        for drive in one.physical_drives
        if drive.drive_group is None or not groups or str(drive.drive_group) in groups
    ]
    sick = tuple(f"{at} {state}" for at, state, _ in drives if state in _SICK_MEGARAID)
    strange = not sick and tool.endswith("2") and any(state not in _WELL_STORCLI2 for _, state, _ in drives)
    states = [_MEGARAID.get(it.state or "") for it in volumes]
    if isinstance(listed, Unknown) and (len(set(states)) > 1 or (sick and len(volumes) > 1)):
        return Volume(state=listed, sick_drives=listed)  # which of the volumes it is was to be told there
    told = read_fact.command_record(machine, storcli.argv(tool, storcli.DRIVES), storcli.parse)
    members = {at for at, _, _ in drives}
    by_itself = read_fact.field(told, tool, lambda it: _errors(it, members))
    predicted = tuple(
        f"{at} predicted to fail" for at, (_, fails) in (read_fact.value(by_itself) or {}).items() if fails
    )
    every = [it for one in report.controllers for it in one.physical_drives]
    patrol = read_fact.command_record(machine, storcli.argv(tool, storcli.PATROL_READ), storcli.parse)
    return Volume(
        state=_worst(states, tool),
        sick_drives=Known((*sick, *predicted), tool) if drives and not strange else read_fact.fact_of(None, tool),
        drive_errors=read_fact.derive(by_itself, lambda it: tuple(f"{at}: {n}" for at, (n, _) in it.items() if n)),
        foreign_drives=read_fact.fact_of(None, tool)  # how storcli2 names them is not known
        if tool.endswith("2")
        else Known(tuple(it.id for it in every if it.foreign), tool),
        patrol_read=read_fact.field(patrol, tool, _patrol_read),
    )


def _of_one(drives: tuple[str, ...], volumes: Sized, unclear: Unknown) -> Fact[tuple[str, ...]]:
    """Drives in trouble, where it is clear whose they are: of the only volume, or of none."""
    return Known(drives, "MegaCLI") if len(volumes) == 1 or not drives else unclear


def _volume_by_megacli(machine: Machine) -> Volume | None:
    report = tools.megacli_report(machine)
    if isinstance(report, Unknown):
        return None
    tool, answer = report
    counted = all(it.media_errors is not None for it in answer.drives) and bool(answer.drives)
    errors = tuple(f"{it.id}: {it.media_errors}" for it in answer.drives if it.media_errors)
    states = [tools.megacli_state(answer, it) for it in answer.volumes]
    clear = len(answer.volumes) == 1 or set(states) == {"optimal"}
    unclear = Unknown(Cause.NOT_EXPOSED, "install storcli64, which names the disk of each volume", tool)
    return Volume(
        state=_worst(states, tool) if clear else unclear,
        sick_drives=_of_one(tools.megacli_sick(answer), answer.volumes, unclear) if answer.drives else unclear,
        drive_errors=_of_one(errors, answer.volumes, unclear) if counted else unclear,
        foreign_drives=read_fact.fact_of(None, tool),
        patrol_read=read_fact.fact_of(None, tool),
    )


def _errors(report: storcli.StorcliReport, members: set[str]) -> dict[str, tuple[int, bool]] | None:
    """Of each member its media errors, and whether it is predicted to fail; None where one does not tell."""
    drives = [it for one in report.controllers for it in one.physical_drives if it.id in members]
    found = {
        it.id: (it.media_errors, it.predicted_to_fail)
        for it in drives
        if it.media_errors is not None and it.predicted_to_fail is not None
    }
    return found if members and set(found) == members else None


def _patrol_read(report: storcli.StorcliReport) -> bool | None:
    modes = {one.patrol_read for one in report.controllers}
    return None if None in modes or not modes else "Disable" not in modes


def _smart_array_volume(machine: Machine, device: str) -> Volume:
    report = read_fact.command_record(machine, ssacli.CONFIG_ARGV, ssacli.parse)
    if isinstance(report, Unknown):
        return Volume(state=report, sick_drives=report)
    pairs = [(one, it) for one in report.controllers for it in one.logical_drives]
    wanted = [pair for pair in pairs if pair[1].device == device] or pairs
    drives = [it for one in {id(one): one for one, _ in wanted}.values() for it in one.physical_drives]
    sick = tuple(f"{it.id} {it.status}" for it in drives if it.status and it.status.lower() != "ok")
    return Volume(
        state=_worst((_smart_array_state(it.status) for _, it in wanted), "ssacli"),
        sick_drives=Known(sick, "ssacli") if drives else read_fact.fact_of(None, "ssacli"),
    )


def _smart_array_state(word: str | None) -> RaidVolume | None:
    return next((state for start, state in _SMART_ARRAY if re.match(start, word or "", re.IGNORECASE)), None)


def _worst(states: Iterable[RaidVolume | None], tool: str) -> Fact[RaidVolume]:
    """The worst state; all that are not known leave it open, unless one is known to be bad."""
    found = set(states)
    worst = next((state for state in _WORST_FIRST if state in found), None)
    return read_fact.fact_of(None if worst == "optimal" and None in found else worst, tool)
