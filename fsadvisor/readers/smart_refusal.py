"""Why smartctl could say nothing of a drive: its messages, sorted into causes (no parser here).

Texts of smartmontools 5.43 to 7.5. The errno text is the C locale's.
"""

from __future__ import annotations

import re

from fsadvisor.facts import WAKE, Cause, Unknown, unreadable

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


_ASLEEP = re.compile(r"Device is in ([A-Z][\w() ]{0,30}) mode, exit")
_USB_BRIDGE = re.compile(r"(?:Unknown|Unsupported) USB bridge \[[0-9a-fx:() ]{1,40}\]")


def asleep(said: str) -> str | None:
    """The power mode for which it was left alone: 'STANDBY', 'SLEEP', 'STANDBY BY TIMER' (SCSI), 'STANDBY (OS)'."""
    found = _ASLEEP.search(said)
    return found[1] if found else None


def refusal(said: str) -> Unknown:
    """The Unknown for what smartctl said instead of a report; a USB bridge is named by its numbers."""
    lowered = said.lower()
    if asleep(said):
        return Unknown(Cause.ASLEEP, WAKE)
    bridge = _USB_BRIDGE.search(said)
    for fragments, cause, learn in _REASONS:
        if any(fragment in lowered for fragment in fragments):
            return Unknown(cause, f"{learn} ({bridge[0]})" if bridge else learn)
    return unreadable("smartctl's output holds no report")
