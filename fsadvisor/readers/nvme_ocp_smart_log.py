"""A data-centre NVMe drive's own account of its power-loss protection: `nvme ocp smart-add-log DEVICE`.

Written against nvme-cli 2.0 to 3.1: JSON in its two spellings (version 1 until 2.16, version 2 the default since
3.0), text, and the raw 512 bytes of log page C0h (`nvme get-log DEVICE --log-id=0xc0 --log-len=512 --raw-binary`).

    SMART Cloud Attributes :-
      Incomplete shutdowns                        0
      Capacitor health                            100
      PLP start count                             3
      Log page GUID                               0xafd514c97c6f4f9ca4f2bfea2810afc5

Vendors use C0h for layouts of their own as well, so the GUID is checked before anything is believed.
OCP Datacenter NVMe SSD Specification, SMART / Health Information Extended; https://www.opencompute.org/documents
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import nvme_output
from fsadvisor.readers.parsing import unread_pieces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.readers.json_text import Json

GUID: Final = "afd514c97c6f4f9ca4f2bfea2810afc5"
NO_CAPACITORS: Final = 0xFFFF
ANOTHER_LAYOUT: Final = "read the data sheet: this drive's log page C0h is not the OCP one"

_PAGE_BYTES = 512
_GUID_OFFSET = 496
_NUMBERS = {
    "physical_media_units_written": (0, 16),
    "physical_media_units_read": (16, 16),
    "uncorrectable_read_errors": (56, 8),
    "system_data_percent_used": (80, 1),
    "thermal_throttling_events": (96, 1),
    "pcie_correctable_errors": (104, 8),
    "incomplete_shutdowns": (112, 4),
    "percent_free_blocks": (120, 1),
    "capacitor_health": (128, 2),
    "unaligned_io": (136, 8),
    "plp_start_count": (160, 16),
    "endurance_estimate": (176, 16),
    "log_page_version": (494, 2),
}
"""Field, by its name in JSON version 2: offset and size in the page."""
_IN_VERSION_1 = {
    "uncorrectable_read_error_count": "uncorrectable_read_errors",
    "number_of_thermal_throttling_events": "thermal_throttling_events",
    "pcie_correctable_error_count": "pcie_correctable_errors",
}
_TELLING = frozenset(
    ("physical_media_units_written", "incomplete_shutdowns", "capacitor_health", "plp_start_count", "log_page_version")
)
_LINE = late(r"\s+([A-Za-z][^\t:]*?)(?:\s*-)?(?:\t\s*|\s{2,})(\S.*)", re.ASCII)
_HEADING = "SMART Cloud Attributes"
_HIGH_AND_LOW = late(r"([0-9]{1,20}) ([0-9]{1,20})", re.ASCII)


class OcpSmartLog(Struct, frozen=True, kw_only=True):
    """Log page C0h of one controller."""

    recognised_by: Literal["guid", "tool"]
    """'guid': the page's GUID is here and right; 'tool': nvme-cli's OCP output, which checks it, without it."""
    log_page_version: int | None
    capacitor_health: int | None
    """Hold-up energy left, in percent of what is needed (may exceed 100); 65535: no capacitors reported."""
    plp_start_count: int | None
    """Times the power-loss protection went to work."""
    incomplete_shutdowns: int | None
    """Shutdowns in which not all data was saved."""
    percent_free_blocks: int | None
    unaligned_io: int | None
    """Writes that were not aligned to the drive's own unit."""
    physical_media_written_bytes: int | None
    """Written to the media, the drive's own writes included."""
    physical_media_read_bytes: int | None
    uncorrectable_read_errors: int | None
    pcie_correctable_errors: int | None
    thermal_throttling_events: int | None
    system_data_percent_used: int | None
    endurance_estimate_bytes: int | None
    unread: tuple[str, ...] = ()


def argv(device: str) -> tuple[str, ...]:
    """Ask a controller (/dev/nvme0) or a namespace's controller (/dev/nvme0n1); needs root."""
    return ("nvme", "ocp", "smart-add-log", device, "--output-format=json")


def parse(text: str) -> OcpSmartLog | Unknown:
    """Read JSON, text or the raw page."""
    page = nvme_output.raw_structure(text)
    if page is not None:
        return _from_page(page)
    document = nvme_output.document(text)
    if isinstance(document, dict):
        return _from_fields({_name(key): value for key, value in document.items()}, text)
    values, unread = _lines(text) if _HEADING in text else ({}, [])
    return _from_fields(values, text, unread)


def _name(key: str) -> str:
    return _IN_VERSION_1.get(nvme_output.label(key), nvme_output.label(key))


def _lines(text: str) -> tuple[dict[str, Json], list[str]]:
    values: dict[str, Json] = {}
    lines, unread = nvme_output.ended_lines(text)
    for line in lines:
        match = _LINE.fullmatch(line.rstrip())
        if match:
            high_and_low = _HIGH_AND_LOW.fullmatch(match[2])
            halves: dict[str, Json] = {"hi": high_and_low[1], "lo": high_and_low[2]} if high_and_low else {}
            values[_name(match[1])] = halves or match[2]
        elif _HEADING not in line and "NVMe Status" not in line:
            unread.append(line)
    return values, unread


def _from_page(page: bytes) -> OcpSmartLog | Unknown:
    if len(page) != _PAGE_BYTES:
        return unreadable(f"{len(page)} bytes where log page C0h has 512")
    if page[_GUID_OFFSET:][::-1].hex() != GUID:
        return _another_layout()
    counts: dict[str, Json] = {name: nvme_output.unsigned(page, *spot) for name, spot in _NUMBERS.items()}
    return _record(counts, "guid", [])


def _from_fields(values: Mapping[str, Json], text: str, unread: list[str] | None = None) -> OcpSmartLog | Unknown:
    guid = values.get("log_page_guid")
    if guid is not None and "capacitor_health" in values:
        if not isinstance(guid, str) or guid.lower().removeprefix("0x") != GUID:
            return _another_layout()
        return _record(values, "guid", unread or [])
    if guid is None and values.keys() >= _TELLING:
        return _record(values, "tool", unread or [])
    return nvme_output.refused(text, "no OCP SMART log")


def _another_layout() -> Unknown:
    return Unknown(Cause.NOT_EXPOSED, ANOTHER_LAYOUT)


def _record(values: Mapping[str, Json], recognised_by: Literal["guid", "tool"], unread: list[str]) -> OcpSmartLog:
    def number(name: str) -> int | None:
        return nvme_output.number(values.get(name), 8 * _NUMBERS[name][1])

    return OcpSmartLog(
        recognised_by=recognised_by,
        log_page_version=number("log_page_version"),
        capacitor_health=number("capacitor_health"),
        plp_start_count=number("plp_start_count"),
        incomplete_shutdowns=number("incomplete_shutdowns"),
        percent_free_blocks=number("percent_free_blocks"),
        unaligned_io=number("unaligned_io"),
        physical_media_written_bytes=number("physical_media_units_written"),
        physical_media_read_bytes=number("physical_media_units_read"),
        uncorrectable_read_errors=number("uncorrectable_read_errors"),
        pcie_correctable_errors=number("pcie_correctable_errors"),
        thermal_throttling_events=number("thermal_throttling_events"),
        system_data_percent_used=number("system_data_percent_used"),
        endurance_estimate_bytes=number("endurance_estimate"),
        unread=unread_pieces(unread),
    )
