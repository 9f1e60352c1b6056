"""Log pages of NVMe drives: health (`nvme smart-log`), and what data-centre drives log of their capacitors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import nvme_output, unread_pieces, whole
from fsadvisor.readers.json_text import member

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fsadvisor.readers.json_text import Json

_PAGE_BYTES = 512
_RESERVED_FROM = 496
_ZERO_CELSIUS_KELVIN = 273
BYTES_PER_DATA_UNIT: Final = 512_000
_NUMBERS = {
    "critical_warning": (0, 1),
    "temperature": (1, 2),
    "avail_spare": (3, 1),
    "spare_thresh": (4, 1),
    "percent_used": (5, 1),
    "data_units_read": (32, 16),
    "data_units_written": (48, 16),
    "host_read_commands": (64, 16),
    "host_write_commands": (80, 16),
    "controller_busy_time": (96, 16),
    "power_cycles": (112, 16),
    "power_on_hours": (128, 16),
    "unsafe_shutdowns": (144, 16),
    "media_errors": (160, 16),
    "num_err_log_entries": (176, 16),
    "warning_temp_time": (192, 4),
    "critical_comp_time": (196, 4),
    "thm_temp1_trans_count": (216, 4),
    "thm_temp2_trans_count": (220, 4),
    "thm_temp1_total_time": (224, 4),
    "thm_temp2_total_time": (228, 4),
}
"""Field, by its name in JSON: offset and size in the page."""
_IN_TEXT = {
    "available_spare": "avail_spare",
    "available_spare_threshold": "spare_thresh",
    "percentage_used": "percent_used",
    "warning_temperature_time": "warning_temp_time",
    "critical_composite_temperature_time": "critical_comp_time",
    "thermal_management_t1_trans_count": "thm_temp1_trans_count",
    "thermal_management_t2_trans_count": "thm_temp2_trans_count",
    "thermal_management_t1_total_time": "thm_temp1_total_time",
    "thermal_management_t2_total_time": "thm_temp2_total_time",
}
_KELVIN = late(r"([0-9]{1,5}) ?K(?:elvin)?\b", re.ASCII)
_CELSIUS = late(r"(-?[0-9]{1,5}) ?°? ?C\b", re.ASCII)


class SmartLog(Struct, frozen=True, kw_only=True):
    """One controller's counters since manufacture; the names of nvme-cli's JSON."""

    critical_warning: int | None
    """Bits: 0 spare, 1 temperature, 2 reliability, 3 read-only, 4 cache backup failed, 5 persistent memory."""
    temperature_kelvin: int | None
    """Composite; 0 where the device does not measure."""
    avail_spare_percent: int | None
    spare_thresh_percent: int | None
    percent_used: int | None
    """Share of the endurance that is used up; may exceed 100."""
    data_units_read: int | None
    """In 1000 sectors of 512 bytes."""
    data_units_written: int | None
    """In 1000 sectors of 512 bytes."""
    host_read_commands: int | None
    host_write_commands: int | None
    controller_busy_time_minutes: int | None
    power_cycles: int | None
    power_on_hours: int | None
    unsafe_shutdowns: int | None
    """Power losses without a shutdown notice; protected drives count them too."""
    media_errors: int | None
    num_err_log_entries: int | None
    warning_temp_time_minutes: int | None
    critical_comp_time_minutes: int | None
    thm_temp1_trans_count: int | None
    """Times the drive began to throttle lightly."""
    thm_temp2_trans_count: int | None
    """Times the drive began to throttle heavily."""
    thm_temp1_total_time_seconds: int | None
    thm_temp2_total_time_seconds: int | None
    unread: tuple[str, ...] = ()

    @property
    def written_bytes(self) -> int | None:
        """What hosts wrote."""
        return None if self.data_units_written is None else self.data_units_written * BYTES_PER_DATA_UNIT


def smart_log_argv(device: str, *, since_3: bool = False) -> tuple[str, ...]:
    """Ask a controller (/dev/nvme0) or a namespace's controller (/dev/nvme0n1); needs root.

    nvme-cli 3 may be built without the old command names.
    """
    command = ("log", "smart") if since_3 else ("smart-log",)
    return ("nvme", *command, device, "--output-format=json")


def parse_nvme_smart_log(text: str) -> SmartLog | Unknown:
    """An NVMe drive's health: `nvme smart-log DEVICE` (`nvme log smart` since 3.0), log page 02h.

    Written against nvme-cli 1.8 to 3.1: JSON (with -v critical_warning is an object), text (with and without -H), and
    the 512-byte page that `--raw-binary` gives; told apart by content.

        Smart Log for NVME device:nvme0 namespace-id:ffffffff
        critical_warning                        : 0
        temperature                             : 48 C (321 Kelvin)
        available_spare                         : 100%
        Data Units Written                      : 48,220,461 (24.69 TB)
        unsafe_shutdowns                        : 30

    NVM Express Base Specification, SMART / Health Information; https://nvmexpress.org/specifications/
    """
    page = nvme_output.raw_structure(text)
    if page is not None:
        return _from_page(page)
    document = nvme_output.nvme_document(text)
    if isinstance(document, dict) and {"critical_warning", "unsafe_shutdowns"} <= document.keys():
        warning = member(document, "critical_warning", "value")
        plain = document if warning is None else document | {"critical_warning": warning}
        return _record(lambda name: nvme_output.number(plain.get(name), 8 * _NUMBERS[name][1]))
    return _from_lines(text)


def _from_page(page: bytes) -> SmartLog | Unknown:
    if len(page) != _PAGE_BYTES:
        return unreadable(f"{len(page)} bytes where the SMART log page has 512")
    if any(page[_RESERVED_FROM:]):
        return unreadable("another log page than SMART: its reserved end is not empty")
    if not any(page):
        return unreadable("an empty SMART log page")
    return _record(lambda name: nvme_output.unsigned(page, *_NUMBERS[name]))


def _from_lines(text: str) -> SmartLog | Unknown:
    lines, cut = nvme_output.ended_lines(text)
    found, unread = nvme_output.labelled_lines(lines, _NUMBERS.keys() | _IN_TEXT.keys())
    values = {_IN_TEXT.get(name, name): value for name, value in found.items()}
    if not {"critical_warning", "unsafe_shutdowns"} <= values.keys():
        return nvme_output.refused(text, "no SMART log")

    def number(name: str) -> int | None:
        value = values.get(name)
        count = _kelvin(value) if name == "temperature" else nvme_output.spelt_number(value)
        return nvme_output.number(count, 8 * _NUMBERS[name][1])

    return _record(number, unread + cut)


def _kelvin(text: str | None) -> int | None:
    """A temperature: '48 C', '48 C (321 Kelvin)', '34 °C (307 K, 93 °F)'."""
    kelvin = _KELVIN.search(text or "")
    if kelvin:
        return whole(kelvin[1])
    celsius = _CELSIUS.match(text or "")
    return None if celsius is None else (whole(celsius[1]) or 0) + _ZERO_CELSIUS_KELVIN


def _record(number: Callable[[str], int | None], unread: list[str] | None = None) -> SmartLog:
    return nvme_output.filled(SmartLog, number, _NUMBERS, unread=unread_pieces(unread or []))


GUID: Final = "afd514c97c6f4f9ca4f2bfea2810afc5"
NO_CAPACITORS: Final = 0xFFFF
ANOTHER_LAYOUT: Final = "read the data sheet: this drive's log page C0h is not the OCP one"


_GUID_OFFSET = 496
_OCP_NUMBERS = {
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


def ocp_smart_log_argv(device: str) -> tuple[str, ...]:
    """Ask a controller (/dev/nvme0) or a namespace's controller (/dev/nvme0n1); needs root."""
    return ("nvme", "ocp", "smart-add-log", device, "--output-format=json")


def parse_nvme_ocp_smart_log(text: str) -> OcpSmartLog | Unknown:
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
    page = nvme_output.raw_structure(text)
    if page is not None:
        return _from_ocp_page(page)
    document = nvme_output.nvme_document(text)
    if isinstance(document, dict):
        return _from_fields({_name(key): value for key, value in document.items()}, text)
    values, unread = _lines(text) if _HEADING in text else ({}, [])
    return _from_fields(values, text, unread)


def _name(key: str) -> str:
    label = nvme_output.label(key)
    return _IN_VERSION_1.get(label, label)


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


def _from_ocp_page(page: bytes) -> OcpSmartLog | Unknown:
    if len(page) != _PAGE_BYTES:
        return unreadable(f"{len(page)} bytes where log page C0h has 512")
    if page[_GUID_OFFSET:][::-1].hex() != GUID:
        return _another_layout()
    counts: dict[str, Json] = {name: nvme_output.unsigned(page, *spot) for name, spot in _OCP_NUMBERS.items()}
    return _ocp_record(counts, "guid", [])


def _from_fields(values: Mapping[str, Json], text: str, unread: list[str] | None = None) -> OcpSmartLog | Unknown:
    guid = values.get("log_page_guid")
    if guid is not None and "capacitor_health" in values:
        if not isinstance(guid, str) or guid.lower().removeprefix("0x") != GUID:
            return _another_layout()
        return _ocp_record(values, "guid", unread or [])
    if guid is None and values.keys() >= _TELLING:
        return _ocp_record(values, "tool", unread or [])
    return nvme_output.refused(text, "no OCP SMART log")


def _another_layout() -> Unknown:
    return Unknown(Cause.NOT_EXPOSED, ANOTHER_LAYOUT)


def _ocp_record(values: Mapping[str, Json], recognised_by: Literal["guid", "tool"], unread: list[str]) -> OcpSmartLog:
    def number(name: str) -> int | None:
        return nvme_output.number(values.get(name), 8 * _OCP_NUMBERS[name][1])

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
