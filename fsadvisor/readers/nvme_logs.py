"""Log pages of NVMe drives: health (`nvme smart-log`), and what data-centre drives log of their capacitors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import nvme_output, whole
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
    "data_units_written": (48, 16),
    "power_on_hours": (128, 16),
    "unsafe_shutdowns": (144, 16),
    "media_errors": (160, 16),
}
"""Field, by its name in JSON: offset and size in the page."""
_IN_TEXT = {
    "available_spare": "avail_spare",
    "available_spare_threshold": "spare_thresh",
    "percentage_used": "percent_used",
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
    data_units_written: int | None
    """In 1000 sectors of 512 bytes."""
    power_on_hours: int | None
    unsafe_shutdowns: int | None
    """Power losses without a shutdown notice; protected drives count them too."""
    media_errors: int | None

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
    found = nvme_output.labelled_lines(nvme_output.ended_lines(text), _NUMBERS.keys() | _IN_TEXT.keys())
    values = {_IN_TEXT.get(name, name): value for name, value in found.items()}
    if not {"critical_warning", "unsafe_shutdowns"} <= values.keys():
        return nvme_output.refused(text, "no SMART log")

    def number(name: str) -> int | None:
        value = values.get(name)
        count = _kelvin(value) if name == "temperature" else nvme_output.spelt_number(value)
        return nvme_output.number(count, 8 * _NUMBERS[name][1])

    return _record(number)


def _kelvin(text: str | None) -> int | None:
    """A temperature: '48 C', '48 C (321 Kelvin)', '34 °C (307 K, 93 °F)'."""
    kelvin = _KELVIN.search(text or "")
    if kelvin:
        return whole(kelvin[1])
    celsius = _CELSIUS.match(text or "")
    return None if celsius is None else (whole(celsius[1]) or 0) + _ZERO_CELSIUS_KELVIN


def _record(number: Callable[[str], int | None]) -> SmartLog:
    return SmartLog(
        critical_warning=number("critical_warning"),
        temperature_kelvin=number("temperature"),
        avail_spare_percent=number("avail_spare"),
        spare_thresh_percent=number("spare_thresh"),
        percent_used=number("percent_used"),
        data_units_written=number("data_units_written"),
        power_on_hours=number("power_on_hours"),
        unsafe_shutdowns=number("unsafe_shutdowns"),
        media_errors=number("media_errors"),
    )


GUID: Final = "afd514c97c6f4f9ca4f2bfea2810afc5"
NO_CAPACITORS: Final = 0xFFFF
ANOTHER_LAYOUT: Final = "read the data sheet: this drive's log page C0h is not the OCP one"


_GUID_OFFSET = 496
_OCP_NUMBERS = {
    "physical_media_units_written": (0, 16),
    "incomplete_shutdowns": (112, 4),
    "capacitor_health": (128, 2),
    "plp_start_count": (160, 16),
}
"""Field, by its name in JSON version 2: offset and size in the page."""
_TELLING = frozenset((*_OCP_NUMBERS, "log_page_version"))
"""Fields which together tell that an output without the page's GUID is of the OCP page all the same."""
_LINE = late(r"\s+([A-Za-z][^\t:]*?)(?:\s*-)?(?:\t\s*|\s{2,})(\S.*)", re.ASCII)
_HEADING = "SMART Cloud Attributes"
_HIGH_AND_LOW = late(r"([0-9]{1,20}) ([0-9]{1,20})", re.ASCII)


class OcpSmartLog(Struct, frozen=True, kw_only=True):
    """Log page C0h of one controller."""

    capacitor_health: int | None
    """Hold-up energy left, in percent of what is needed (may exceed 100); 65535: no capacitors reported."""
    plp_start_count: int | None
    """Times the power-loss protection went to work."""
    incomplete_shutdowns: int | None
    """Shutdowns in which not all data was saved."""
    physical_media_written_bytes: int | None
    """Written to the media, the drive's own writes included."""


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
        return _from_fields({nvme_output.label(key): value for key, value in document.items()}, text)
    return _from_fields(_lines(text) if _HEADING in text else {}, text)


def _lines(text: str) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for line in nvme_output.ended_lines(text):
        match = _LINE.fullmatch(line.rstrip())
        if match:
            high_and_low = _HIGH_AND_LOW.fullmatch(match[2])
            halves: dict[str, Json] = {"hi": high_and_low[1], "lo": high_and_low[2]} if high_and_low else {}
            values[nvme_output.label(match[1])] = halves or match[2]
    return values


def _from_ocp_page(page: bytes) -> OcpSmartLog | Unknown:
    if len(page) != _PAGE_BYTES:
        return unreadable(f"{len(page)} bytes where log page C0h has 512")
    if page[_GUID_OFFSET:][::-1].hex() != GUID:
        return _another_layout()
    counts: dict[str, Json] = {name: nvme_output.unsigned(page, *spot) for name, spot in _OCP_NUMBERS.items()}
    return _ocp_record(counts)


def _from_fields(values: Mapping[str, Json], text: str) -> OcpSmartLog | Unknown:
    guid = values.get("log_page_guid")
    if guid is not None and "capacitor_health" in values:
        if not isinstance(guid, str) or guid.lower().removeprefix("0x") != GUID:
            return _another_layout()
    elif guid is not None or not values.keys() >= _TELLING:
        return nvme_output.refused(text, "no OCP SMART log")
    return _ocp_record(values)


def _another_layout() -> Unknown:
    return Unknown(Cause.NOT_EXPOSED, ANOTHER_LAYOUT)


def _ocp_record(values: Mapping[str, Json]) -> OcpSmartLog:
    def number(name: str) -> int | None:
        return nvme_output.number(values.get(name), 8 * _OCP_NUMBERS[name][1])

    return OcpSmartLog(
        capacitor_health=number("capacitor_health"),
        plp_start_count=number("plp_start_count"),
        incomplete_shutdowns=number("incomplete_shutdowns"),
        physical_media_written_bytes=number("physical_media_units_written"),
    )
