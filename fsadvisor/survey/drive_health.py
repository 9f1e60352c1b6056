"""What drives say of their health: wear, spare blocks, errors, temperature, by the kind of drive that each is.

Drives behind a RAID controller are asked by smartctl, each for its own; the sick ones are named by slot. megaraid:
`smartctl --scan` lists them by the controller's SCSI host. cciss: smartctl finds none, so they are counted by ssacli.
aacraid: it finds none either, and arcconf tells channel and device. Nothing is asked where no disk is such a
controller's volume.

https://www.smartmontools.org/wiki/Supported_RAID-Controllers
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import json_text, raid_tools, smartctl, ssacli, storcli
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.smartctl import NvmeHealth, SmartReport
    from fsadvisor.survey.block import BlockDevice
    from fsadvisor.survey.drive import Drive


_ZERO_C: Final = 273
_EMMC_LIFE: Final = late(r"0x([0-9a-f]{2}) 0x([0-9a-f]{2})", re.IGNORECASE)
_EMMC_BEYOND: Final = 11
"""Of what JESD84-B51 calls DEVICE_LIFE_TIME_EST: 1 is 0 to 10 % used, 10 is 90 to 100 %, 11 more; 0 is not defined."""
_EMMC_SPARE: Final = {"0x01": "normal", "0x02": "warning", "0x03": "urgent"}
"""What JESD84-B51 calls PRE_EOL_INFO: 2 where 80 % of the reserved blocks are used up, 3 where 90 %."""
_NVME = "nvme smart-log"
_SMART = "smartctl"
_OCP = "nvme ocp smart-add-log"


class Health(Struct, frozen=True, kw_only=True):
    """The facts of a disk's health; NOT_APPLICABLE where its kind has no such count."""

    percentage_used: Fact[int] = NOT_APPLICABLE
    available_spare_percent: Fact[int] = NOT_APPLICABLE
    available_spare_threshold_percent: Fact[int] = NOT_APPLICABLE
    media_errors: Fact[int] = NOT_APPLICABLE
    unsafe_shutdowns: Fact[int] = NOT_APPLICABLE
    incomplete_shutdowns: Fact[int] = NOT_APPLICABLE
    plp_starts: Fact[int] = NOT_APPLICABLE
    pending_sectors: Fact[int] = NOT_APPLICABLE
    reallocated_sectors: Fact[int] = NOT_APPLICABLE
    temperature_c: Fact[int] = NOT_APPLICABLE
    temperature_limit_c: Fact[int] = NOT_APPLICABLE
    link_errors: Fact[int] = NOT_APPLICABLE
    failing_attributes: Fact[tuple[str, ...]] = NOT_APPLICABLE


def health(drive: Drive) -> Health:
    """What the drive says of its health."""
    if drive.smart_log is not NOT_APPLICABLE:
        return _nvme(drive)
    if drive.smart is NOT_APPLICABLE:
        return Health()
    protocol = None if isinstance(drive.smart, Unknown) else drive.smart.protocol
    return _scsi(drive.smart) if protocol == "SCSI" else _ata(drive.smart)


def emmc_used(machine: Machine, folder: str) -> Fact[int]:
    """Endurance used of an eMMC, in steps of ten percent: of its two sorts of flash that which is worn more.

    The kernel shows it since 4.12 (46bc5c408e4e), of eMMC 5.0 and later; SD cards tell nothing.
    """
    path = f"{folder}/device/life_time"
    life_time = read_fact.text(machine, path)
    if isinstance(life_time, Unknown):
        return life_time
    match = _EMMC_LIFE.fullmatch(life_time.value)
    steps = [step for it in match.groups() if 0 < (step := int(it, 16)) <= _EMMC_BEYOND] if match else []
    return read_fact.fact_of(10 * (max(steps) - 1) if steps else None, path)


def emmc_spare(machine: Machine, folder: str) -> Fact[str]:
    """What an eMMC says of its spare blocks; 0 is not defined. In sysfs beside its life time."""
    told = read_fact.text(machine, f"{folder}/device/pre_eol_info")
    return told if isinstance(told, Unknown) else read_fact.fact_of(_EMMC_SPARE.get(told.value), told.source)


def _nvme(drive: Drive) -> Health:
    """nvme-cli's words, else smartctl's for the same log page."""

    def by_smart(pick: Callable[[NvmeHealth], int | None]) -> Fact[int]:
        return read_fact.field(drive.smart, _SMART, lambda it: pick(it.nvme) if it.nvme else None)

    return Health(
        percentage_used=read_fact.first(
            read_fact.field(drive.smart_log, _NVME, lambda it: it.percent_used), by_smart(lambda it: it.percentage_used)
        ),
        available_spare_percent=read_fact.first(
            read_fact.field(drive.smart_log, _NVME, lambda it: it.avail_spare_percent),
            by_smart(lambda it: it.available_spare_percent),
        ),
        available_spare_threshold_percent=read_fact.first(
            read_fact.field(drive.smart_log, _NVME, lambda it: it.spare_thresh_percent),
            by_smart(lambda it: it.available_spare_threshold_percent),
        ),
        media_errors=read_fact.first(
            read_fact.field(drive.smart_log, _NVME, lambda it: it.media_errors), by_smart(lambda it: it.media_errors)
        ),
        temperature_c=read_fact.field(
            drive.smart_log,
            _NVME,
            lambda it: None if it.temperature_kelvin is None else it.temperature_kelvin - _ZERO_C,
        ),
        temperature_limit_c=read_fact.field(
            drive.id_ctrl, "nvme id-ctrl wctemp", lambda it: it.wctemp_kelvin - _ZERO_C if it.wctemp_kelvin else None
        ),
        unsafe_shutdowns=read_fact.first(
            read_fact.field(drive.smart_log, _NVME, lambda it: it.unsafe_shutdowns),
            by_smart(lambda it: it.unsafe_shutdowns),
        ),
        incomplete_shutdowns=read_fact.field(drive.ocp, _OCP, lambda it: it.incomplete_shutdowns),
        plp_starts=read_fact.field(drive.ocp, _OCP, lambda it: it.plp_start_count),
    )


def _scsi(smart: SmartReport | Unknown) -> Health:
    used = read_fact.field(smart, _SMART, lambda it: it.scsi.percentage_used if it.scsi else None)
    return Health(
        percentage_used=used,
        media_errors=read_fact.field(smart, _SMART, _uncorrected),
        reallocated_sectors=read_fact.field(
            smart, f"{_SMART} grown defect list", lambda it: it.scsi.grown_defects if it.scsi else None
        ),
        **_temperatures(smart),
    )


_HOTTEST_C: Final = 100
"""What some drives tell beyond it is no temperature: of 66,776 public logs six say so."""
_OF_HARD_DISKS_C: Final = 60
"""What their data sheets name as the highest at which they work."""


def _temperatures(smart: SmartReport | Unknown) -> dict[str, Any]:
    limit = read_fact.field(
        smart, f"{_SMART} SCT, Device Statistics or trip temperature", lambda it: it.temperature_limit_c
    )
    usual = read_fact.field(
        smart,
        "usual for hard disks, it tells none of its own",
        lambda it: _OF_HARD_DISKS_C if it.rotation_rate_rpm else None,
    )
    return {
        "temperature_c": read_fact.field(smart, f"{_SMART} temperature", _temperature),
        "temperature_limit_c": read_fact.first(limit, usual),
    }


def _temperature(smart: SmartReport) -> int | None:
    told = smart.temperature_c
    return told if told is not None and 0 < told <= _HOTTEST_C else None


def _uncorrected(smart: SmartReport) -> int | None:
    """Errors that a SCSI drive could not correct, of all three counters."""
    log = smart.scsi
    if log is None:
        return None
    counts = (log.uncorrected_read_errors, log.uncorrected_write_errors, log.uncorrected_verify_errors)
    told = [count for count in counts if count is not None]
    return sum(told) if told else None


def _ata(smart: SmartReport | Unknown) -> Health:
    return Health(
        percentage_used=_worn(smart),
        media_errors=_raw(smart, *_UNCORRECTED),
        pending_sectors=_raw(smart, *_PENDING),
        reallocated_sectors=_raw(smart, "Reallocated_Sector_Ct"),
        link_errors=_raw(smart, "UDMA_CRC_Error_Count", "CRC_Error_Count", "SATA_CRC_Error_Count"),
        failing_attributes=_failing(smart),
        **_temperatures(smart),
    )


_UNCORRECTED: Final = ("Reported_Uncorrect", "Uncorrectable_Error_Cnt")
_PENDING: Final = ("Current_Pending_Sector", "Pending_Sector_Count")
"""Names of one count in smartmontools' drivedb.h: the usual one first, then those of Samsung's, Intel's and others'."""


def _raw(smart: SmartReport | Unknown, *names: str) -> Fact[int]:
    """The count of the first attribute that has one of these names."""
    counts = {} if isinstance(smart, Unknown) else _counts(smart)
    name = next((name for name in names if name in counts), names[0])
    return read_fact.field(smart, f"{_SMART} {name}", lambda _: counts.get(name))


def _counts(smart: SmartReport) -> dict[str, int | None]:
    """Raw values by name; SandForce's rate of errors, whose normalised value begins at 120, is no count of them."""
    rows = (it for it in smart.attributes if it.name != "Uncorrectable_Error_Cnt" or (it.value or 0) <= _BEST)
    return {it.name: it.raw_value for it in rows}


_BEST: Final = 100
_NOT_COUNTED: Final = 255
"""In the Device Statistics the most that fits, and what drives of SandForce tell that don't count it."""

_LIFE_LEFT: Final = ("Percent_Lifetime_Remain", "Media_Wearout_Indicator", "SSD_Life_Left", "Wear_Leveling_Count")
"""ATA attributes whose normalised value counts down from 100 as flash wears, by their names in smartmontools."""
_NEVER_ZERO: Final = ("Media_Wearout_Indicator", "Wear_Leveling_Count")
"""Those stay at 1, however much more is written: nothing is left."""


def _worn(smart: SmartReport | Unknown) -> Fact[int]:
    """Endurance used: the standard's own count, else by the first attribute that counts what is left of it."""
    if isinstance(smart, Unknown):
        return smart
    if smart.endurance_used_percent not in (None, _NOT_COUNTED):
        return Known(smart.endurance_used_percent, f"{_SMART} Device Statistics")
    for name in _LIFE_LEFT:
        row = next((row for row in smart.attributes if row.name == name), None)
        if row is not None and row.value is not None and 0 < row.value <= _FULL:
            at_its_least = name in _NEVER_ZERO and row.value == 1
            return Known(_FULL if at_its_least else _FULL - row.value, f"{_SMART} {name}")
    return read_fact.fact_of(None, _SMART)


_FULL: Final = 100


def _failing(smart: SmartReport | Unknown) -> Fact[tuple[str, ...]]:
    """Names of the ATA attributes that are at or below their threshold now."""
    if isinstance(smart, Unknown):
        return smart
    if not smart.attributes:
        return read_fact.fact_of(None, _SMART)
    return Known(tuple(row.name for row in smart.attributes if row.when_failed == "now"), _SMART)


SCAN: Final[Argv] = ("smartctl", "--json=o", "--scan")

_HOST: Final = late(r"/host(\d{1,5})/")
_TYPE: Final = late(r"megaraid,(\d{1,5})")
_MOST_DRIVES: Final = 256
_MANY_REALLOCATED: Final = 50
_WORN: Final = 100
SOURCE: Final = "smartctl, drive by drive"


def behind_controller(
    machine: Machine, tool: str | None, device: BlockDevice
) -> Mapping[str, SmartReport | Unknown] | Unknown:
    """What each drive behind the controller says, by its slot where that is told; of other controllers not known."""
    if tool in (None, "none"):
        return NOT_APPLICABLE
    if tool in ("storcli64", "perccli64"):
        names = _megaraid(machine, tool, device)
    else:
        names = _aacraid(machine, device) if tool == "arcconf" else _smart_array(machine, tool, device)
    if isinstance(names, Unknown):
        return names
    commands = {name: smartctl.argv(path, kind) for name, (path, kind) in names.items()}
    machine.expect(list(commands.values()))
    return {name: read_fact.command_record(machine, argv, smartctl.parse) for name, argv in commands.items()}


def sick_behind(reports: Mapping[str, SmartReport | Unknown] | Unknown) -> Fact[tuple[str, ...]]:
    """'252:3: 24 unreadable sectors' of each of these drives that says so itself."""
    if isinstance(reports, Unknown):
        return reports
    answers = {name: report for name, report in reports.items() if not isinstance(report, Unknown)}
    sick = tuple(f"{name}: {', '.join(signs)}" for name, report in answers.items() if (signs := list(_signs(report))))
    if sick:
        return Known(sick, SOURCE)
    silent = next((report for report in reports.values() if isinstance(report, Unknown)), None)
    if silent is None and any(report.passed is None for report in answers.values()):
        return Unknown(Cause.NOT_EXPOSED, "ask each drive: `smartctl --scan` and `smartctl -d`", SOURCE)
    return silent or Known((), SOURCE)


def _megaraid(machine: Machine, tool: str, device: BlockDevice) -> Mapping[str, tuple[str, str]] | Unknown:
    """Path and type of those at the volume's own controller, by enclosure and slot where its tool tells them."""
    host = _HOST.search(device.hardware)
    scanned = read_fact.command_record(machine, SCAN, json_text.load)
    if isinstance(scanned, Unknown):
        return scanned
    report = read_fact.command_record(machine, storcli.argv(tool), storcli.parse)
    slots = {} if isinstance(report, Unknown) or len(report.controllers) != 1 else _slots(report.controllers[0])
    found: dict[str, tuple[str, str]] = {}
    for one in json_text.items(scanned, "devices"):
        path, kind = json_text.string(one, "name") or "", json_text.string(one, "type") or ""
        number = _TYPE.fullmatch(kind)
        if number and host and path == f"/dev/bus/{host[1]}" and len(found) < _MOST_DRIVES:
            found[slots.get(int(number[1]), kind)] = (path, kind)
    return found or Unknown(Cause.NOT_EXPOSED, "look for its drives with `smartctl --scan`", " ".join(SCAN))


def _slots(controller: storcli.Controller) -> Mapping[int, str]:
    return {it.device_id: it.id for it in controller.physical_drives if it.device_id is not None}


def _smart_array(machine: Machine, tool: str | None, device: BlockDevice) -> Mapping[str, tuple[str, str]] | Unknown:
    """cciss,N of all drives of the only controller; N is no slot, so the model and serial number must tell it."""
    if tool != "ssacli":
        return Unknown(Cause.NOT_EXPOSED, "ask each drive behind it: `smartctl --scan` and `smartctl -d`", SOURCE)
    report = read_fact.command_record(machine, ssacli.CONFIG_ARGV, ssacli.parse)
    if isinstance(report, Unknown):
        return report
    listed = report.controllers[0].physical_drives if len(report.controllers) == 1 else ()
    if not listed:
        return Unknown(Cause.NOT_EXPOSED, "ask each drive: `smartctl -d cciss,N -x /dev/sgM`", SOURCE)
    return {f"cciss,{at}": (device.path, f"cciss,{at}") for at in range(min(len(listed), _MOST_DRIVES))}


def _aacraid(machine: Machine, device: BlockDevice) -> Mapping[str, tuple[str, str]] | Unknown:
    """aacraid,0,CHANNEL,DEVICE of the drives of the only controller, by arcconf's numbers."""
    report = read_fact.command_record(machine, raid_tools.ARCCONF_ARGV, raid_tools.parse_arcconf)
    if isinstance(report, Unknown):
        return report
    placed = [it for it in report.drives if it.channel is not None and it.device_id is not None]
    if report.controllers != 1 or len(placed) != len(report.drives) or not placed:
        return Unknown(Cause.NOT_EXPOSED, "ask each drive: `smartctl -d aacraid,H,L,ID -x /dev/sda`", SOURCE)
    kinds = {f"device {it.number}": f"aacraid,0,{it.channel},{it.device_id}" for it in placed[:_MOST_DRIVES]}
    return {name: (device.path, kind) for name, kind in kinds.items()}


def _signs(smart: SmartReport) -> Iterator[str]:
    """What is wrong with one, in its own words and counts."""
    raw = {name: count or 0 for name, count in _counts(smart).items()}
    if smart.passed is False:
        yield "its own health test failed"
    if any(it.when_failed == "now" for it in smart.attributes):
        yield "an attribute is at its threshold"
    log = smart.scsi
    uncorrected = (
        (log.uncorrected_read_errors, log.uncorrected_write_errors, log.uncorrected_verify_errors) if log else ()
    )
    counts = (
        ("unreadable sectors", sum(raw.get(name, 0) for name in _PENDING), 0),
        ("uncorrected errors", sum(raw.get(name, 0) for name in _UNCORRECTED) + sum(it or 0 for it in uncorrected), 0),
        ("reallocated sectors", _replaced(smart, raw), _MANY_REALLOCATED),
        ("percent of its endurance used", _used(smart), _WORN - 1),
    )
    yield from (f"{count} {words}" for words, count, usual in counts if count > usual)


def _replaced(smart: SmartReport, raw: Mapping[str, int]) -> int:
    """Flash replaces blocks as it wears."""
    if smart.rotation_rate_rpm == 0:
        return 0
    return (smart.scsi.grown_defects or 0) if smart.scsi else raw.get("Reallocated_Sector_Ct", 0)


def _used(smart: SmartReport) -> int:
    return (smart.scsi.percentage_used if smart.scsi else smart.endurance_used_percent) or 0
