"""Plain text of `smartctl -x DEV` (also -a, -i, -A): what sos archives and old smartctl have instead of JSON.

Written against smartmontools 5.43 to 7.5; gives the record of fsadvisor.readers.smartctl, without exit status
and device name, which the text does not contain.

    === START OF INFORMATION SECTION ===
    Device Model:     EXAMPLE SSD 480
    User Capacity:    480,103,981,056 bytes [480 GB]
    Write cache is:   Enabled

https://www.smartmontools.org/wiki/TocDoc
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fsadvisor.patterns import late
from fsadvisor.readers import whole
from fsadvisor.readers.smartctl import (
    AtaAttribute,
    NvmeHealth,
    ScsiHealth,
    SmartReport,
    refusal,
)

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown
    from fsadvisor.readers.smartctl import SelfTest

_LABEL = late(r"^([A-Z][^:=]{1,60}?) *:[ \t]*(.*)$")
_GROUPED = late(r"[0-9](?:[^0-9A-Za-z\[\]]{0,2}[0-9])*", re.ASCII)
_ROW = late(
    r"^ *([0-9]+|0x[0-9a-f]{2}) +(\S+) +(?:0x[0-9a-f]{4}|[-POSRCK+]{6,8}) +([0-9]+|---) +([0-9]+|---) +([0-9]+|---)"
    r" +(?:(?:Pre-fail|Old_age) +(?:Always|Offline) +)?(\S+) +(\S.*)$"
)
_WHEN_FAILED = {"-": "", "NOW": "now", "FAILING_NOW": "now", "Past": "past", "In_the_past": "past"}
_NAMESPACE_SIZE = late(r"^Namespace [0-9]+ Size/Capacity$")
_ERROR_COUNTER = late(r"^(read|write|verify):.* ([0-9]+)$", re.MULTILINE)


def parse(text: str) -> SmartReport | Unknown:
    """The report, or why smartctl has none."""
    page = _Page(text)
    if page.text("Device Model") is not None:
        return _ata(page)
    if page.text("Model Number") is not None or page.text("Critical Warning") is not None:
        return _nvme(page)
    if page.text("Vendor") is not None or page.text("Product") is not None:
        return _scsi(page)
    if page.attributes:
        return _ata(page)
    return refusal(text)


class _Page:
    """The lines of an output by label (the first of each label counts)."""

    def __init__(self, text: str) -> None:
        self.whole = text
        self.values: dict[str, str] = {}
        self.attributes: list[AtaAttribute] = []
        for line in text.splitlines():
            self._take(line.rstrip())

    def _take(self, line: str) -> None:
        if row := _ROW.match(line):
            self.attributes.append(_attribute(row))
        elif labelled := _LABEL.match(line):
            self.values.setdefault(" ".join(labelled[1].split()), labelled[2])

    def text(self, *labels: str) -> str | None:
        return next((value for label in labels if (value := self.values.get(label))), None)

    def number(self, *labels: str) -> int | None:
        """A whole number before a unit or a bracket; digits may be grouped ('1,024 [..]', '100%')."""
        value = self.text(*labels)
        if value is None or value.startswith(("?", "<not available>")):
            return None
        return _grouped(value)

    def switch(self, *labels: str) -> bool | None:
        """Enabled or Disabled; anything else (Unavailable) is not known."""
        return {"Enabled": True, "Disabled": False}.get(self.text(*labels) or "")

    def rotation(self) -> int | None:
        value = self.text("Rotation Rate")
        return 0 if value == "Solid State Device" else _grouped((value or "").removesuffix(" rpm"))

    def leading(self, *names: str) -> int | None:
        """The number that the formatted raw value of an attribute of one of these names begins with."""
        raw = next((row.raw_string for row in self.attributes if row.name in names), None)
        digits = re.match(r"[0-9]+", raw or "", re.ASCII)
        return whole(digits[0]) if digits else None

    def passed(self) -> bool | None:
        value = self.text("SMART overall-health self-assessment test result", "SMART Health Status")
        if value is None:
            return None
        if value in ("PASSED", "OK"):
            return True
        return False if value.startswith("FAIL") or "[asc=" in value else None


def _grouped(value: str) -> int | None:
    """The whole number at the start, its digits grouped or not; a decimal unit before '[' does not count."""
    found = _GROUPED.match(value.split("[")[0].strip())
    return whole(re.sub(r"[^0-9]", "", found[0])) if found else None


def _attribute(row: re.Match[str]) -> AtaAttribute:
    raw = row[7]
    return AtaAttribute(
        name=row[2],
        value=whole(row[3]),
        thresh=whole(row[5]),
        when_failed=_WHEN_FAILED.get(row[6]),
        raw_value=whole(raw) if raw.isdigit() else None,
        raw_string=raw,
    )


def _ata(page: _Page) -> SmartReport:
    temperature = page.number("Current Temperature")
    if temperature is None:
        temperature = page.leading("Temperature_Celsius", "Airflow_Temperature_Cel")
    return SmartReport(
        protocol="ATA",
        model_name=page.text("Device Model"),
        firmware_version=page.text("Firmware Version"),
        capacity_bytes=page.number("User Capacity"),
        rotation_rate_rpm=page.rotation(),
        write_cache_enabled=page.switch("Write cache is"),
        passed=page.passed(),
        attributes=tuple(page.attributes),
        power_on_hours=page.leading("Power_On_Hours", "Power_On_Hours_and_Msec"),
        temperature_c=temperature,
        temperature_limit_c=_statistic(page, "Specified Maximum Operating Temperature") or None,
        endurance_used_percent=_statistic(page, "Percentage Used Endurance Indicator"),
        self_test=_self_test(page),
    )


def _statistic(page: _Page, name: str) -> int | None:
    """'0x07  0x008  1              11  N--  Percentage Used …': one that is not valid shows -."""
    found = re.search(rf"^0x0\d +0x\w+ +\d +([0-9]{{1,9}}) +[\w-]{{3}} +{name}\b", page.whole, re.MULTILINE)
    return whole(found[1]) if found else None


_TESTED = late(r"^# ?\d+ +\S.*?(Completed without error|Completed: \S+|Fatal or unknown error)", re.MULTILINE)


def _self_test(page: _Page) -> SelfTest | None:
    """By the newest test that came to an end; others were stopped."""
    found = _TESTED.search(page.whole)
    if found is None:
        return "never" if "No self-tests have been logged" in page.whole else None
    return "passed" if found[1] == "Completed without error" else "failed"


def _nvme(page: _Page) -> SmartReport:
    health = _nvme_health(page)
    sizes = [value for label, value in page.values.items() if _NAMESPACE_SIZE.match(label)]
    total = page.number("Total NVM Capacity")
    return SmartReport(
        protocol="NVMe",
        model_name=page.text("Model Number"),
        firmware_version=page.text("Firmware Version"),
        capacity_bytes=_grouped(sizes[0]) if len(sizes) == 1 else total,
        passed=page.passed(),
        nvme=health,
        power_on_hours=health.power_on_hours if health else None,
        temperature_c=page.number("Temperature"),
    )


def _nvme_health(page: _Page) -> NvmeHealth | None:
    warning = page.text("Critical Warning")
    if warning is None:
        return None
    value = whole(warning, 16)
    return NvmeHealth(
        critical_warning=value if value is not None and 0 <= value <= 0xFF else None,
        available_spare_percent=page.number("Available Spare"),
        available_spare_threshold_percent=page.number("Available Spare Threshold"),
        percentage_used=page.number("Percentage Used"),
        data_units_written=page.number("Data Units Written"),
        power_on_hours=page.number("Power On Hours"),
        unsafe_shutdowns=page.number("Unsafe Shutdowns"),
        media_errors=page.number("Media and Data Integrity Errors"),
    )


def _scsi(page: _Page) -> SmartReport:
    vendor, product = page.text("Vendor"), page.text("Product")
    errors = {way: whole(count) for way, count in _ERROR_COUNTER.findall(page.whole)}
    return SmartReport(
        protocol="SCSI",
        model_name=" ".join(part for part in (vendor, product) if part) or None,
        scsi_vendor=vendor,
        scsi_product=product,
        firmware_version=page.text("Revision"),
        capacity_bytes=page.number("User Capacity"),
        rotation_rate_rpm=page.rotation(),
        write_cache_enabled=page.switch("Writeback Cache is"),
        passed=page.passed(),
        scsi=ScsiHealth(
            grown_defects=page.number("Elements in grown defect list"),
            percentage_used=page.number("Percentage used endurance indicator"),
            uncorrected_read_errors=errors.get("read"),
            uncorrected_write_errors=errors.get("write"),
            uncorrected_verify_errors=errors.get("verify"),
        ),
        power_on_hours=_scsi_hours(page),
        temperature_c=page.number("Current Drive Temperature"),
        temperature_limit_c=page.number("Drive Trip Temperature") or None,
    )


def _scsi_hours(page: _Page) -> int | None:
    """'number of hours powered up = 123.4' (5.x to 7.x) or 'Accumulated power on time, hours:minutes 123:04'."""
    found = re.search(
        r"^ *(?:number of hours powered up = |Accumulated power on time, hours:minutes )([0-9]{1,18})",
        page.whole,
        re.MULTILINE,
    )
    return whole(found[1]) if found else None
