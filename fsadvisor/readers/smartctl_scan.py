"""`smartctl --json --scan-open`: the drives that smartctl can ask, also those behind a RAID controller.

Written against smartmontools 7.0 to 7.5. A drive behind a controller has a type of its own
('megaraid,0' on /dev/bus/0), to be passed on with -d.

    {"smartctl": {...}, "devices": [{"name": "/dev/bus/0", "info_name": "/dev/bus/0 [megaraid_disk_00]",
     "type": "megaraid,0", "protocol": "SCSI", "open_error": "..."}]}

https://www.smartmontools.org/wiki/TocDoc
"""

from __future__ import annotations

from dataclasses import dataclass

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers import json_text
from fsadvisor.readers.json_text import Json, items, member, string
from fsadvisor.readers.smart_refusal import refusal

ARGV = ("smartctl", "--json", "--scan-open")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedDevice:
    """One drive."""

    name: str
    type: str | None
    """What -d takes."""
    protocol: str | None
    """ATA, SCSI or NVMe."""
    open_error: str | None = None
    """Why it could not be opened, in smartctl's words; None where it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmartScan:
    """The drives, in smartctl's order; none is a legitimate answer."""

    devices: tuple[ScannedDevice, ...]


def parse(text: str) -> SmartScan | Unknown:
    """The scan, or why there is none."""
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return document if "{" in text else refusal(text)
    if not isinstance(member(document, "smartctl"), dict) or member(document, "device") is not None:
        return unreadable("the JSON is not that of `smartctl --scan-open`")
    if member(document, "devices") is None and items(document, "smartctl", "messages"):
        return refusal("\n".join(string(entry, "string") or "" for entry in items(document, "smartctl", "messages")))
    return SmartScan(devices=tuple(_devices(document)))


def _devices(document: Json) -> list[ScannedDevice]:
    return [
        ScannedDevice(
            name=name,
            type=string(entry, "type"),
            protocol=string(entry, "protocol"),
            open_error=string(entry, "open_error"),
        )
        for entry in items(document, "devices")
        if (name := string(entry, "name")) is not None
    ]
