"""What smartctl tells of a drive, in whichever form, or why it tells nothing.

What smartctl says of one drive, whichever of its output forms was read (no parser here).

smartctl --json and its plain text give the same record, so the survey needs to know one shape only.

Why smartctl could say nothing of a drive: its messages, sorted into causes (no parser here).

Texts of smartmontools 5.43 to 7.5. The errno text is the C locale's.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from fsadvisor.facts import WAKE, Cause, Unknown, unreadable
from fsadvisor.patterns import late


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
    unread: tuple[str, ...] = ()


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


def asleep(said: str) -> str | None:
    """The power mode for which it was left alone: 'STANDBY', 'SLEEP', 'STANDBY BY TIMER' (SCSI), 'STANDBY (OS)'."""
    found = _ASLEEP.search(said)
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
