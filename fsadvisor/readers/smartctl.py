"""`smartctl --json=o -q noserial -x DEV`: identity, health and caches of an ATA, SCSI or NVMe drive.

Written against smartmontools 7.0 to 7.5 (json_format_version 1.0). `o` adds the plain text as
smartctl.output[]: up to 7.5 the JSON lacks a SCSI drive's caches, which only the text has. `noserial` keeps
serial number and WWN out. A non-zero exit is no failure: its bits tell of the drive (smartctl(8)).

The record is the same for plain text (smartctl_text), and so is why smartctl says nothing: its messages, of
smartmontools 5.43 to 7.5, sorted into causes. The errno text is the C locale's.

    {"smartctl": {"version": [7, 3], "output": [...], "messages": [], "exit_status": 0},
     "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},
     "model_name": "...", "write_cache": {"enabled": true}, "ata_smart_attributes": {"table": [...]}}

https://www.smartmontools.org/wiki/TocDoc
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.facts import WAKE, Cause, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import json_text, whole
from fsadvisor.readers.json_text import Json, boolean, integer, items, member, string


class AtaAttribute(Struct, frozen=True, kw_only=True):
    """A row of the ATA SMART attribute table. Match by name: vendors reuse the ids."""

    name: str
    value: int | None = None
    """Normalised value, higher is better."""
    thresh: int | None = None
    when_failed: str | None = None
    """'' (never), 'past' or 'now'."""
    raw_value: int | None = None
    """All 48 bits as one number; from plain text only where the text is one plain number."""
    raw_string: str | None = None
    """The raw value as smartctl's drive database formats it."""


SelfTest: TypeAlias = Literal["passed", "failed", "never"]


class NvmeHealth(Struct, frozen=True, kw_only=True):
    """The NVMe SMART / Health Information log (02h)."""

    critical_warning: int | None = None
    """Bits: 0 spare, 1 temperature, 2 reliability, 3 read-only, 4 cache backup failed, 5 persistent memory."""
    available_spare_percent: int | None = None
    available_spare_threshold_percent: int | None = None
    percentage_used: int | None = None
    """May exceed 100."""
    data_units_written: int | None = None
    """In units of 512,000 bytes."""
    power_on_hours: int | None = None
    unsafe_shutdowns: int | None = None
    media_errors: int | None = None


class ScsiHealth(Struct, frozen=True, kw_only=True):
    """The log pages of a SCSI or SAS drive."""

    grown_defects: int | None = None
    percentage_used: int | None = None
    """Solid-state endurance indicator; may exceed 100."""
    uncorrected_read_errors: int | None = None
    uncorrected_write_errors: int | None = None
    uncorrected_verify_errors: int | None = None


class SmartReport(Struct, frozen=True, kw_only=True):
    """One drive. None: smartctl did not say (it never means 'no')."""

    device_name: str | None = None
    device_type: str | None = None
    """smartctl's -d type: sat, scsi, nvme, megaraid,0, …"""
    protocol: str | None = None
    """ATA, SCSI or NVMe."""
    model_name: str | None = None
    scsi_vendor: str | None = None
    scsi_product: str | None = None
    firmware_version: str | None = None
    capacity_bytes: int | None = None
    rotation_rate_rpm: int | None = None
    """0 for a solid-state device; None where the drive does not say (every NVMe)."""
    write_cache_enabled: bool | None = None
    """ATA write cache, or SCSI WCE. smartctl never reports an NVMe's: ask feature 6."""
    passed: bool | None = None
    """The drive's own overall verdict."""
    attributes: tuple[AtaAttribute, ...] = ()
    nvme: NvmeHealth | None = None
    scsi: ScsiHealth | None = None
    power_on_hours: int | None = None
    temperature_c: int | None = None
    temperature_limit_c: int | None = None
    """Highest at which its maker lets it work."""
    endurance_used_percent: int | None = None
    """ATA Device Statistics, page 7; may exceed 100."""
    recovery_limit_ds: int | None = None
    """SCT error recovery control for reads, in tenths of a second; 0: it may go on for minutes (ATA, JSON alone)."""
    self_test: SelfTest | None = None
    """How the last of its own tests that came to an end went (ATA and NVMe)."""


_REASONS: tuple[tuple[tuple[str, ...], Cause, str], ...] = (
    (
        ("permission denied", "operation not permitted"),
        Cause.DENIED,
        "run as root (in a container: with CAP_SYS_RAWIO and the device)",
    ),
    (
        ("usb bridge", "unknown usb device", "usb to nvme bridge"),
        Cause.NOT_EXPOSED,
        "find the USB bridge's type with `smartctl -d sat` or `-d sntasmedia`",
    ),
    (
        ("behind a sat layer", "please try adding"),
        Cause.NOT_EXPOSED,
        "name the drive behind the controller with `smartctl -d` (see `smartctl --scan`)",
    ),
    (("unable to detect device type",), Cause.NOT_EXPOSED, "ask the drive below: smartctl has no protocol for it"),
    (("no such device", "no such file"), Cause.NOT_EXPOSED, "look again: the device is not there"),
    (("unrecognized option", "invalid argument to"), Cause.NOT_EXPOSED, "install smartmontools 7.0 or later"),
    (
        ("identity failed", "identify controller failed", "inquiry failed", "open device", "device lacks smart"),
        Cause.NOT_EXPOSED,
        "ask another way: the drive or the bridge before it did not answer",
    ),
)


_ASLEEP = late(r"Device is in ([A-Z][\w() ]{0,30}) mode, exit")
_USB_BRIDGE = late(r"(?:Unknown|Unsupported) USB bridge \[[0-9a-fx:() ]{1,40}\]")


def asleep(text: str) -> str | None:
    """The power mode for which it was left alone: 'STANDBY', 'SLEEP', 'STANDBY BY TIMER' (SCSI), 'STANDBY (OS)'."""
    found = _ASLEEP.search(text)
    return found[1] if found else None


def refusal(message: str) -> Unknown:
    """The Unknown for what smartctl said instead of a report; a USB bridge is named by its numbers."""
    lowered = message.lower()
    if asleep(message):
        return Unknown(Cause.ASLEEP, WAKE)
    bridge = _USB_BRIDGE.search(message)
    for fragments, cause, learn in _REASONS:
        if any(fragment in lowered for fragment in fragments):
            return Unknown(cause, f"{learn} ({bridge[0]})" if bridge else learn)
    return unreadable("smartctl's output holds no report")


_POWER_MODE = late(r"^Power mode (?:is|was): +([A-Z].*)", re.MULTILINE)
_OF_A_POWER_MODE: Final = ("power_mode", "Power mode", "Device is in", "\\u")
"""Without one of these a text tells of none: to parse it is what takes long. The last may hide any letter."""


def argv(device: str, device_type: str | None = None) -> tuple[str, ...]:
    """The command for a device; `device_type` is what `-d` takes ('megaraid,0'), None to let it guess."""
    choice = () if device_type is None else ("-d", device_type)
    return ("smartctl", "--json=o", "-q", "noserial", "-x", *choice, device)


def parse(text: str) -> SmartReport | Unknown:
    """The report, or why smartctl has none."""
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return document if "{" in text else refusal(text)
    if not isinstance(document, dict):
        return unreadable("the JSON is not smartctl's")
    report = _report(document)
    if _says_nothing(report):
        return refusal(_said(document))
    return report


def power_mode(text: str) -> str | None:
    """The drive's power mode in smartctl's capitals, where it was asked for (-n)."""
    if not any(word in text for word in _OF_A_POWER_MODE):
        return None
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return None
    said = _said(document)
    found = _POWER_MODE.search(said)
    return string(document, "power_mode", "name") or asleep(said) or (found[1].strip() if found else None)


def _says_nothing(report: SmartReport) -> bool:
    told = (report.model_name, report.scsi_vendor, report.passed, report.nvme, report.capacity_bytes)
    return all(value is None for value in told)


def _report(document: Json) -> SmartReport:
    enabled = boolean(document, "write_cache", "enabled")
    vendor, product = _first(document, "scsi_vendor", "vendor"), _first(document, "scsi_product", "product")
    return SmartReport(
        device_name=string(document, "device", "name"),
        device_type=string(document, "device", "type"),
        protocol=string(document, "device", "protocol"),
        model_name=_first(document, "model_name", "scsi_model_name"),
        scsi_vendor=vendor,
        scsi_product=product,
        firmware_version=_first(document, "firmware_version", "scsi_revision", "revision"),
        capacity_bytes=_capacity(document),
        rotation_rate_rpm=integer(document, "rotation_rate"),
        write_cache_enabled=_writeback_cache("\n".join(["", *_lines(document)])) if enabled is None else enabled,
        passed=boolean(document, "smart_status", "passed"),
        attributes=_attributes(document),
        nvme=_nvme(document),
        scsi=_scsi(document),
        power_on_hours=integer(document, "power_on_time", "hours"),
        temperature_c=_temperature(document, "current"),
        temperature_limit_c=_temperature_limit(document),
        endurance_used_percent=_statistic(document, *_ENDURANCE),
        recovery_limit_ds=_recovery_limit(document),
        self_test=_self_test(document),
    )


_ENDURANCE: Final = (7, 8)
_TEMPERATURE_LIMIT: Final = (5, 88)
"""Page and offset in the ATA Device Statistics log (ACS-4, 9.5)."""


def _statistic(document: Json, page: int, offset: int) -> int | None:
    """A value of the Device Statistics that the drive calls valid."""
    for one in items(document, "ata_device_statistics", "pages"):
        for row in items(one, "table"):
            if (integer(one, "number"), integer(row, "offset")) == (page, offset) and boolean(row, "flags", "valid"):
                return integer(row, "value")
    return None


def _temperature(document: Json, *which: str) -> int | None:
    """0 is what a controller says for the drives behind it, and what a SAS drive without a trip point says."""
    return next((found for key in which if (found := integer(document, "temperature", key))), None)


def _temperature_limit(document: Json) -> int | None:
    """By SCT status, by the Device Statistics, or the trip point of a SCSI drive."""
    return _temperature(document, "op_limit_max", "drive_trip") or _statistic(document, *_TEMPERATURE_LIMIT)


def _recovery_limit(document: Json) -> int | None:
    """0 where it is switched off, or where the drive says that it has none."""
    if boolean(document, "ata_sct_capabilities", "error_recovery_control_supported") is False:
        return 0
    enabled = boolean(document, "ata_sct_erc", "read", "enabled")
    return integer(document, "ata_sct_erc", "read", "deciseconds") if enabled else (None if enabled is None else 0)


_FAILED_NVME = (5, 6, 7)
"""Results of an NVMe self-test: a fatal error, segments that failed. 0 is none; others were stopped."""


def _self_test(document: Json) -> SelfTest | None:
    """By the newest entry that came to an end; a log without entries is that of a drive never tested."""
    if (of_scsi := _scsi_self_test(document)) is not None:
        return of_scsi
    ata = member(document, "ata_smart_self_test_log")
    log = member(ata, "extended") or member(ata, "standard") or member(document, "nvme_self_test_log")
    if not isinstance(log, dict):
        return None
    table = log.get("table")
    entries = table if isinstance(table, list) else []
    for entry in entries:
        passed = boolean(entry, "status", "passed")
        result = integer(entry, "self_test_result", "value")
        if passed is not None or result in (0, *_FAILED_NVME):
            return "passed" if passed or result == 0 else "failed"
    return "never" if integer(log, "count") == 0 else None


_FAILED_SCSI: Final = range(3, 8)
"""Results of the self-test log (SPC-5, 7.3.18): an error, or a segment that failed; 1 and 2 were stopped."""
_SCSI_TESTS: Final = tuple(f"scsi_self_test_{at}" for at in range(20))


def _scsi_self_test(document: Json) -> SelfTest | None:
    """SAS and SCSI; the log was read where the duration of a long test is told after it (scsiprint.cpp)."""
    results = [integer(document, test, "result", "value") for test in _SCSI_TESTS]
    for result in results:
        if result == 0 or result in _FAILED_SCSI:
            return "passed" if result == 0 else "failed"
    read = integer(document, "scsi_extended_self_test_seconds") is not None
    return "never" if read and set(results) == {None} else None


def _first(document: Json, *keys: str) -> str | None:
    """The first of several spellings (7.0 to 7.2 wrote 'vendor' where 7.3 writes 'scsi_vendor')."""
    return next((value for key in keys if (value := string(document, key)) is not None), None)


def _large(document: Json, *path: str) -> int | None:
    """An integer that smartctl, where it exceeds 53 bits, also writes as a string under KEY_s."""
    exact = string(document, *path[:-1], path[-1] + "_s")
    number = whole(exact)
    return integer(document, *path) if number is None else number


def _said(document: Json) -> str:
    """The tool's messages, and the plain text."""
    messages = [string(entry, "string") for entry in items(document, "smartctl", "messages")]
    return "\n".join([*(text for text in messages if text is not None), *_lines(document)])


def _lines(document: Json) -> list[str]:
    """The plain text that came with the JSON: smartctl.output[] (option o), smartctl_NNNN_u (option u)."""
    lines = [line for line in items(document, "smartctl", "output") if isinstance(line, str)]
    if isinstance(document, dict):
        lines += [value for key, value in document.items() if key.startswith("smartctl_") and isinstance(value, str)]
    return lines


def _writeback_cache(lines: str) -> bool | None:
    """As the plain text has it, of which a SCSI drive's JSON lacks the line."""
    _, found, after = lines.partition("\nWriteback Cache is:")
    return {"Enabled": True, "Disabled": False}.get(after.partition("\n")[0].strip()) if found else None


def _capacity(document: Json) -> int | None:
    """User capacity; an NVMe controller with several namespaces has only a total."""
    user = _large(document, "user_capacity", "bytes")
    return _large(document, "nvme_total_capacity") if user is None else user


def _attributes(document: Json) -> tuple[AtaAttribute, ...]:
    rows = items(document, "ata_smart_attributes", "table")
    return tuple(row for entry in rows if (row := _attribute(entry)) is not None)


def _attribute(entry: Json) -> AtaAttribute | None:
    number, name = integer(entry, "id"), string(entry, "name")
    if number is None or name is None:
        return None
    return AtaAttribute(
        name=name,
        value=integer(entry, "value"),
        thresh=integer(entry, "thresh"),
        when_failed=string(entry, "when_failed"),
        raw_value=_large(entry, "raw", "value"),
        raw_string=string(entry, "raw", "string"),
    )


def _critical_warning(document: Json, log: Json) -> int | None:
    value = integer(log, "critical_warning")
    if value is None:
        value = integer(document, "smart_status", "nvme", "value")
    return None if value is None or not 0 <= value <= 0xFF else value


def _nvme(document: Json) -> NvmeHealth | None:
    log = member(document, "nvme_smart_health_information_log")
    warning = _critical_warning(document, log)
    if not isinstance(log, dict) and warning is None:
        return None
    return NvmeHealth(
        critical_warning=warning,
        available_spare_percent=integer(log, "available_spare"),
        available_spare_threshold_percent=integer(log, "available_spare_threshold"),
        percentage_used=integer(log, "percentage_used"),
        data_units_written=_large(log, "data_units_written"),
        power_on_hours=_large(log, "power_on_hours"),
        unsafe_shutdowns=_large(log, "unsafe_shutdowns"),
        media_errors=_large(log, "media_errors"),
    )


def _scsi(document: Json) -> ScsiHealth | None:
    if string(document, "device", "protocol") != "SCSI":
        return None
    used = integer(document, "scsi_percentage_used_endurance_indicator")
    if used is None:
        used = integer(document, "endurance_used", "current_percent")
    uncorrected = {
        way: _large(document, "scsi_error_counter_log", way, "total_uncorrected_errors")
        for way in ("read", "write", "verify")
    }
    return ScsiHealth(
        grown_defects=integer(document, "scsi_grown_defect_list"),
        percentage_used=used,
        uncorrected_read_errors=uncorrected["read"],
        uncorrected_write_errors=uncorrected["write"],
        uncorrected_verify_errors=uncorrected["verify"],
    )
