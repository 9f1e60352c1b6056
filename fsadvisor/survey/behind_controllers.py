"""Drives behind a RAID controller, each asked by smartctl for its own health; the sick ones are named by slot.

megaraid: `smartctl --scan` lists them by the controller's SCSI host. cciss: smartctl finds none, so they are counted by
ssacli. aacraid: it finds none either, and arcconf tells channel and device. Nothing is asked where no disk is such a
controller's volume.

https://www.smartmontools.org/wiki/Supported_RAID-Controllers
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import json_text, raid_tools, smartctl, ssacli, storcli
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.machine.port import Argv, Machine
    from fsadvisor.readers.smart_record import SmartReport
    from fsadvisor.survey.block import BlockDevice

SCAN: Final[Argv] = ("smartctl", "--json=o", "--scan")

_HOST: Final = late(r"/host(\d{1,5})/")
_TYPE: Final = late(r"megaraid,(\d{1,5})")
_MOST: Final = 256
_MANY_REALLOCATED: Final = 50
_WORN: Final = 100
_SOURCE: Final = "smartctl, drive by drive"


def sick(machine: Machine, tool: str | None, device: BlockDevice) -> Fact[tuple[str, ...]]:
    """'252:3: 24 unreadable sectors' of each drive that says so itself; of other controllers not known."""
    if tool in (None, "none"):
        return NOT_APPLICABLE
    if tool in ("storcli64", "perccli64"):
        names = _megaraid(machine, tool, device)
    else:
        names = _aacraid(machine, device) if tool == "arcconf" else _smart_array(machine, tool, device)
    if isinstance(names, Unknown):
        return names
    asked = {name: smartctl.argv(path, kind) for name, (path, kind) in names.items()}
    machine.expect(list(asked.values()))
    reports = {name: read_fact.command_record(machine, argv, smartctl.parse) for name, argv in asked.items()}
    told = {name: it for name, it in reports.items() if not isinstance(it, Unknown)}
    found = tuple(f"{name}: {', '.join(signs)}" for name, it in told.items() if (signs := list(_signs(it))))
    if found:
        return Known(found, _SOURCE)
    silent = next((it for it in reports.values() if isinstance(it, Unknown)), None)
    if silent is None and any(it.passed is None for it in told.values()):
        return Unknown(Cause.NOT_EXPOSED, "ask each drive: `smartctl --scan` and `smartctl -d`", _SOURCE)
    return silent or Known((), _SOURCE)


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
        if number and host and path == f"/dev/bus/{host[1]}" and len(found) < _MOST:
            found[slots.get(int(number[1]), kind)] = (path, kind)
    return found or Unknown(Cause.NOT_EXPOSED, "look for its drives with `smartctl --scan`", " ".join(SCAN))


def _slots(controller: storcli.Controller) -> Mapping[int, str]:
    return {it.device_id: it.id for it in controller.physical_drives if it.device_id is not None}


def _smart_array(machine: Machine, tool: str | None, device: BlockDevice) -> Mapping[str, tuple[str, str]] | Unknown:
    """cciss,N of all drives of the only controller; N is no slot, so the model and serial number must tell it."""
    if tool != "ssacli":
        return Unknown(Cause.NOT_EXPOSED, "ask each drive behind it: `smartctl --scan` and `smartctl -d`", _SOURCE)
    report = read_fact.command_record(machine, ssacli.CONFIG_ARGV, ssacli.parse)
    if isinstance(report, Unknown):
        return report
    if len(report.controllers) != 1:
        return Unknown(Cause.NOT_EXPOSED, "ask each drive: `smartctl -d cciss,N -x /dev/sgM`", _SOURCE)
    number = min(len(report.controllers[0].physical_drives), _MOST)
    return {f"cciss,{at}": (device.path, f"cciss,{at}") for at in range(number)}


def _aacraid(machine: Machine, device: BlockDevice) -> Mapping[str, tuple[str, str]] | Unknown:
    """aacraid,0,CHANNEL,DEVICE of the drives of the only controller, by arcconf's numbers."""
    report = read_fact.command_record(machine, raid_tools.ARCCONF_ARGV, raid_tools.parse_arcconf)
    if isinstance(report, Unknown):
        return report
    placed = [it for it in report.drives if it.channel is not None and it.device_id is not None]
    if report.controllers != 1 or len(placed) != len(report.drives) or not placed:
        return Unknown(Cause.NOT_EXPOSED, "ask each drive: `smartctl -d aacraid,H,L,ID -x /dev/sda`", _SOURCE)
    kinds = {f"device {it.number}": f"aacraid,0,{it.channel},{it.device_id}" for it in placed[:_MOST]}
    return {name: (device.path, kind) for name, kind in kinds.items()}


def _signs(smart: SmartReport) -> Iterator[str]:
    """What is wrong with one, in its own words and counts."""
    raw = {it.name: it.raw_value or 0 for it in smart.attributes}
    if smart.passed is False:
        yield "its own health test failed"
    if any(it.when_failed == "now" for it in smart.attributes):
        yield "an attribute is at its threshold"
    log = smart.scsi
    uncorrected = (
        (log.uncorrected_read_errors, log.uncorrected_write_errors, log.uncorrected_verify_errors) if log else ()
    )
    counts = (
        ("unreadable sectors", raw.get("Current_Pending_Sector", 0), 0),
        ("uncorrected errors", raw.get("Reported_Uncorrect", 0) + sum(it or 0 for it in uncorrected), 0),
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
