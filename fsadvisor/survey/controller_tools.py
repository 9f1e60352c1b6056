"""Which disks are a RAID controller's volumes, the tool that knows the controller, and what arcconf and MegaCLI say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import raid_tools, ssacli, storcli
from fsadvisor.survey import attachment, read_fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.raid_tools import (
        AdaptecDrive,
        AdaptecVolume,
        Arcconf,
        Megacli,
        MegaRaidDrive,
        MegaRaidVolume,
    )
    from fsadvisor.storage.about import ControllerBattery, ControllerCache, DriveCaches, RaidController, RaidVolume
    from fsadvisor.survey.block import BlockDevice

Tool: TypeAlias = Literal["storcli64", "perccli64", "ssacli", "arcconf", "mvcli", "sas3ircu", "another"]

_VOLUMES: tuple[tuple[str, str, Tool], ...] = (
    ("DELL", r"PERC", "perccli64"),
    ("DELL", r"Virtual Disk", "sas3ircu"),
    ("LSI(LOGIC)?|AVAGO|BROADCOM", r"Logical Volume", "sas3ircu"),
    ("AVAGO|LSI|BROADCOM", r"MR|MegaRAID|SAS ?9|RAID", "storcli64"),
    ("LENOVO|IBM", r"RAID|ServeRAID", "storcli64"),
    ("FTS|FUJITSU", r"PRAID|RAID", "storcli64"),
    ("CISCO", r"UCS|RAID", "storcli64"),
    ("INTEL", r"RS\d|RMS\d|RAID", "storcli64"),
    ("SMC", r"SMC\d", "storcli64"),
    ("HPE?|COMPAQ", r"LOGICAL VOLUME", "ssacli"),
    ("ATA|MARVELL", r"DELLBOSS|ThinkSystem M\.2|MARVELL", "mvcli"),
    ("ADAPTEC|ASR.*|MSCC|MICROSEMI", r"", "arcconf"),
    ("ARECA|AMCC|3WARE|DPT|PROMISE", r"", "another"),
)
"""SCSI vendor, start of the model, and the tool that knows the controller."""
_BOOT_CARDS: Final = late(r"DELL BOSS-N|HPE NS204i", re.IGNORECASE)
"""What NVMe mirrors call themselves that a card with two drives keeps."""
_MEGARAID_VOLUME: Final = late(r"/host(\d+)/target[\d:]+/\d+:[23]:\d+:\d+/block/", re.ASCII)
"""megaraid_sas has drives on channels 0 and 1, volumes on 2 and 3, whatever the maker of the server calls them.

Other drivers have drives there: mpt3sas those of NVMe, hpsa and aacraid others.
"""
_OF_DRIVES: Final = ("ATA", "NVMe", "SEAGATE", "WDC", "HGST", "TOSHIBA", "SAMSUNG")
"""SCSI vendors of drives, of which no driver has to be asked."""
UNREAD: Final = ("sas3ircu", "another")
"""Whose tool is not read: what it would tell of a volume is not known."""
NEWER = {"storcli64": "storcli2", "perccli64": "perccli2"}
"""The tool of controllers of the mpi3mr driver, which the older one does not know; both may be there."""
_ASK_DRIVES = "look with the controller's own tool whether its drives are SSDs"
_BY_HAND = "the controller's own tool (sas2ircu, sas3ircu, tw_cli, areca-cli)"


def tool(vendor: Fact[str], model: Fact[str]) -> Tool | None:
    """The tool to ask about a disk that names itself like a controller's volume; None for a drive."""
    if not isinstance(vendor, Known) or not isinstance(model, Known):
        return None
    return next((tool for maker, start, tool in _VOLUMES if _fits(maker, vendor) and _starts(start, model)), None)


def by_name_or_place(machine: Machine, vendor: Fact[str], model: Fact[str], hardware: str) -> Fact[RaidController]:
    """The tool of the controller whose volume a disk is; where its name does not tell, its driver and place may."""
    if isinstance(vendor, Unknown):
        return vendor
    if isinstance(model, Unknown):
        return model
    named = tool(vendor, model)
    place = _MEGARAID_VOLUME.search(hardware)
    if named or place is None or vendor.value.strip() in _OF_DRIVES or attachment.emulated(vendor.value):
        return Known(named or "none", f"SCSI vendor {vendor.value}, model {model.value}")
    driver = read_fact.text(machine, f"/sys/class/scsi_host/host{place[1]}/proc_name")
    return read_fact.derive(driver, lambda it: "storcli64" if it == "megaraid_sas" else "none")


def is_boot_card(model: Fact[str]) -> bool:
    """Whether an NVMe disk is a mirror that a card keeps."""
    return isinstance(model, Known) and _BOOT_CARDS.match(model.value) is not None


def _fits(maker: str, vendor: Known[str]) -> bool:
    return re.fullmatch(maker, vendor.value.strip(), re.IGNORECASE) is not None


def _starts(start: str, model: Known[str]) -> bool:
    return re.match(start, model.value.strip(), re.IGNORECASE) is not None


def commands(tool: Tool | None) -> tuple[Argv, ...]:
    """What to ask; nothing for drives and for controllers whose tool is not read."""
    if tool == "ssacli":
        return (ssacli.CONFIG_ARGV,)
    if tool in ("arcconf", "mvcli"):
        return (raid_tools.ARCCONF_ARGV if tool == "arcconf" else raid_tools.MVCLI_ARGV,)
    if tool in ("storcli64", "perccli64"):
        return tuple(
            storcli.argv(one, question)
            for one in (tool, NEWER[tool])
            for question in (storcli.CONTROLLERS, storcli.VOLUMES, storcli.DRIVES, storcli.PATROL_READ)
        )
    return ()


def knowing(machine: Machine, tool: str, device: str) -> str:
    """The newer tool where that lists the volume, else the older."""
    newer = NEWER.get(tool, tool)
    listed = read_fact.command_record(machine, storcli.argv(newer, storcli.VOLUMES), storcli.parse)
    named = () if isinstance(listed, Unknown) else listed.controllers
    return newer if any(volume.device == device for one in named for volume in one.virtual_drives) else tool


def is_another(volumes: Sequence[tuple[int | None, storcli.VirtualDrive]], device: str) -> bool:
    """Whether all volumes that a tool lists name their disk, and none this one: another controller's are no answer."""
    devices = {volume.device for _, volume in volumes}
    return bool(devices) and None not in devices and device not in devices


def unlisted(tool: str, device: str) -> Unknown:
    """What to do where the tool lists other disks alone."""
    newer = NEWER.get(tool, tool)
    return Unknown(Cause.NOT_EXPOSED, f"install {newer}, where {tool} does not list {device}", tool)


def unasked(tool: Tool) -> Unknown:
    """What to do where the tool was not, or can't be, asked."""
    asked = " and ".join(f"`{' '.join(argv)}`" for argv in commands(tool)[:2]) or _BY_HAND
    return Unknown(Cause.NOT_EXPOSED, f"look with {asked} at the battery, the cache policy and the drives' own caches")


def unread(known: Known[RaidController]) -> Unknown:
    """What nobody can tell where the controller's tool is not read."""
    return Unknown(Cause.NOT_EXPOSED, "look with the controller's own tool", known.source)


_RAID_CLASS: Final[dict[str, RaidVolume]] = {
    "active": "optimal",
    "degraded": "degraded",
    "resyncing": "rebuilding",
    "offline": "offline",
}


def state_by_kernel(machine: Machine, device: BlockDevice) -> Fact[RaidVolume]:
    """What mpt3sas tells in sysfs of a volume by its SCSI address; mptsas, before it, tells nothing."""
    address = device.hardware.partition("/block/")[0].rpartition("/")[2]
    path = f"/sys/class/raid_devices/{address}/state"
    return read_fact.field(read_fact.text(machine, path), path, lambda it: _RAID_CLASS.get(it.value))


def rotational(machine: Machine, known: Fact[RaidController], device: str, by_kernel: Fact[bool]) -> Fact[bool]:
    """Whether the drives behind the disk rotate: of a controller's volume its tool tells, queue/rotational does not.

    Many controllers call each of their volumes rotational, SSDs as well, and the kernel believes it.
    """
    name = read_fact.value(known)
    if name in (None, "none") or device.startswith("/dev/nvme"):
        return by_kernel
    if name not in NEWER:
        return Unknown(Cause.NOT_EXPOSED, _ASK_DRIVES, str(name))
    told = read_fact.command_record(machine, storcli.argv(knowing(machine, name, device)), storcli.parse)
    if isinstance(told, Unknown):
        return told
    media = _media(machine, name, device)
    spins = {"HDD": True, "SSD": False}.get(media.pop() or "") if len(media) == 1 else None
    return read_fact.fact_of(spins, name, _ASK_DRIVES)


def _media(machine: Machine, name: str, device: str) -> set[str | None]:
    """The kinds of the drives of the volume; of all drives, where no volume names its disk."""
    of = knowing(machine, name, device)
    report = read_fact.command_record(machine, storcli.argv(of), storcli.parse)
    listed = read_fact.command_record(machine, storcli.argv(of, storcli.VOLUMES), storcli.parse)
    if isinstance(report, Unknown) or isinstance(listed, Unknown):
        return set()
    volumes = [(one.number, it) for one in listed.controllers for it in one.virtual_drives]
    if is_another(volumes, device):
        return set()
    groups = {(number, it.id.partition("/")[0]) for number, it in volumes if it.device == device}
    drives = [(one.number, it) for one in report.controllers for it in one.physical_drives]
    return {it.media for number, it in drives if not groups or (number, str(it.drive_group)) in groups}


_ARCCONF_STATES: Final[tuple[tuple[str, RaidVolume], ...]] = (
    (r"optimal", "optimal"),
    (r"(degraded, )?rebuild|impacted|(re)?building|reconfigur", "rebuilding"),
    (r"degraded|sub-?optimal", "degraded"),
    (r"failed|offline", "offline"),
)
_ARCCONF_SICK: Final = late(r"failed|offline|missing|rebuilding|inconsistent", re.IGNORECASE)


def arcconf_report(machine: Machine, device: str) -> tuple[Arcconf, tuple[AdaptecVolume, ...]] | Unknown:
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


def arcconf_state(volume: AdaptecVolume) -> RaidVolume | None:
    """The volume's state by arcconf's status."""
    word = volume.status or ""
    return next((found for start, found in _ARCCONF_STATES if re.match(start, word, re.IGNORECASE)), None)


def arcconf_sick(found: Arcconf, volumes: tuple[AdaptecVolume, ...]) -> tuple[str, ...]:
    """Drives that failed, are about to, are missing or being rebuilt; of all volumes, for a drive names none."""
    drives = (_arcconf_trouble(drive) for drive in found.drives)
    missing = (f"{segment} of volume {volume.number} missing" for volume in volumes for segment in volume.missing)
    return (*(it for it in drives if it), *missing)


def _arcconf_trouble(drive: AdaptecDrive) -> str | None:
    if drive.state and _ARCCONF_SICK.match(drive.state):
        return f"device {drive.number} {drive.state}"
    return f"device {drive.number} predicted to fail" if drive.predicted_to_fail else None


def arcconf_policy(volume: AdaptecVolume) -> ControllerCache | None:
    """What is in force; 'when protected' falls back by itself."""
    setting, status = (volume.write_setting or "").lower(), (volume.write_status or "").lower()
    if setting.startswith(("disabled", "off")) or status == "off":
        return "write through"
    if not setting.startswith(("enabled", "on")):
        return None
    return "write back" if "protected" in setting else "always write back"


def arcconf_battery(found: Arcconf) -> ControllerBattery | None:
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


def arcconf_drive_caches(found: Arcconf) -> DriveCaches | None:
    """Where all drives agree."""
    words = {(drive.write_cache or "").partition(" ")[0] for drive in found.drives}
    known: dict[str, DriveCaches] = {"Enabled": "enabled", "Disabled": "disabled"}
    return known.get(words.pop()) if len(words) == 1 else None


_MEGACLI_STATES: Final[dict[str, RaidVolume]] = {
    "Optimal": "optimal",
    "Degraded": "degraded",
    "Partially Degraded": "degraded",
    "Offline": "offline",
    "Failed": "offline",
}
_MEGACLI_SICK: Final = ("Failed", "Offline", "Rebuild", "Unconfigured(bad)", "Missing")
_DISK_CACHES: Final[dict[str, DriveCaches]] = {
    "Enabled": "enabled",
    "Disabled": "disabled",
    "Disk's Default": "default",
}


def megacli_report(machine: Machine) -> tuple[str, Megacli] | Unknown:
    """Which of its names answered, and what it says: of all volumes, for it names no disk."""
    refusals: list[Unknown] = []
    for tool in raid_tools.MEGACLI_TOOLS:
        report = read_fact.command_record(machine, raid_tools.megacli_argv(tool), raid_tools.parse_megacli)
        if not isinstance(report, Unknown):
            return tool, report
        refusals.append(report)
    return refusals[0]


def megacli_state(found: Megacli, volume: MegaRaidVolume) -> RaidVolume | None:
    """Of a volume; a drive that is being rebuilt makes a degraded one 'rebuilding'."""
    known = _MEGACLI_STATES.get(volume.state or "")
    rebuilds = any((drive.state or "").startswith("Rebuild") for drive in found.drives)
    return "rebuilding" if known == "degraded" and rebuilds else known


def megacli_sick(found: Megacli) -> tuple[str, ...]:
    """Drives that failed, are being rebuilt, or are predicted to fail."""
    return tuple(words for drive in found.drives if (words := _megacli_trouble(drive)))


def _megacli_trouble(drive: MegaRaidDrive) -> str | None:
    if drive.state and drive.state.startswith(_MEGACLI_SICK):
        return f"{drive.id} {drive.state}"
    return f"{drive.id} predicted to fail" if drive.predicted else None


def megacli_policy(volume: MegaRaidVolume) -> ControllerCache | None:
    """The volume's cache policy in force."""
    words = volume.cache or ""
    if words.startswith("WriteThrough"):
        return "write through"
    if not words.startswith("WriteBack"):
        return None
    return "write back" if "No Write Cache if Bad BBU" in words else "always write back"


def megacli_drive_caches(volume: MegaRaidVolume) -> DriveCaches | None:
    """Of the drives behind it."""
    return _DISK_CACHES.get(volume.disk_cache or "")


def megacli_battery(machine: Machine, tool: str) -> ControllerBattery | None:
    """The worst of them; a battery that learns is none that failed."""
    battery = read_fact.command_record(machine, raid_tools.megacli_battery_argv(tool), raid_tools.parse_megacli_battery)
    if isinstance(battery, Unknown):
        return None
    if battery.replace or any(state.startswith("Failed") for state in battery.states):
        return "failed"
    if any(state.startswith(("Learning", "Charging")) for state in battery.states):
        return "charging"
    return "optimal" if set(battery.states) <= {"Optimal", "Operational"} else None
