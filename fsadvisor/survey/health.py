"""How worn a drive is and what it has lost, from its own logs.

NVM Express Base Specification, SMART / Health Information; OCP Datacenter NVMe SSD Specification, log page C0h;
smartctl(8). ATA attributes go by name: vendors reuse the ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import NOT_APPLICABLE, Fact, Known, Unknown
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.readers.smart_record import NvmeHealth, SmartReport
    from fsadvisor.survey.drive import Drive

_NVME = "nvme smart-log"
_SMART = "smartctl"
_OCP = "nvme ocp smart-add-log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
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


def _nvme(drive: Drive) -> Health:
    """nvme-cli's words, else smartctl's for the same log page."""

    def by_smart(pick: Callable[[NvmeHealth], int | None]) -> Fact[int]:
        return look.field(drive.smart, _SMART, lambda it: pick(it.nvme) if it.nvme else None)

    return Health(
        percentage_used=look.first(
            look.field(drive.smart_log, _NVME, lambda it: it.percent_used), by_smart(lambda it: it.percentage_used)
        ),
        available_spare_percent=look.first(
            look.field(drive.smart_log, _NVME, lambda it: it.avail_spare_percent),
            by_smart(lambda it: it.available_spare_percent),
        ),
        available_spare_threshold_percent=look.first(
            look.field(drive.smart_log, _NVME, lambda it: it.spare_thresh_percent),
            by_smart(lambda it: it.available_spare_threshold_percent),
        ),
        media_errors=look.first(
            look.field(drive.smart_log, _NVME, lambda it: it.media_errors), by_smart(lambda it: it.media_errors)
        ),
        unsafe_shutdowns=look.first(
            look.field(drive.smart_log, _NVME, lambda it: it.unsafe_shutdowns),
            by_smart(lambda it: it.unsafe_shutdowns),
        ),
        incomplete_shutdowns=look.field(drive.ocp, _OCP, lambda it: it.incomplete_shutdowns),
        plp_starts=look.field(drive.ocp, _OCP, lambda it: it.plp_start_count),
    )


def _scsi(smart: SmartReport | Unknown) -> Health:
    used = look.field(smart, _SMART, lambda it: it.scsi.percentage_used if it.scsi else None)
    return Health(percentage_used=used, media_errors=look.field(smart, _SMART, _uncorrected))


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
        media_errors=_raw(smart, "Reported_Uncorrect"),
        pending_sectors=_raw(smart, "Current_Pending_Sector"),
        reallocated_sectors=_raw(smart, "Reallocated_Sector_Ct"),
        link_errors=_raw(smart, "UDMA_CRC_Error_Count"),
        failing_attributes=_failing(smart),
    )


def _raw(smart: SmartReport | Unknown, name: str) -> Fact[int]:
    return look.field(
        smart, f"{_SMART} {name}", lambda it: next((row.raw_value for row in it.attributes if row.name == name), None)
    )


_LIFE_LEFT: Final = ("Percent_Lifetime_Remain", "Media_Wearout_Indicator", "SSD_Life_Left", "Wear_Leveling_Count")
"""ATA attributes whose normalised value counts down from 100 as flash wears, by their names in smartmontools."""


def _worn(smart: SmartReport | Unknown) -> Fact[int]:
    """Endurance used, by the first attribute that counts what is left of it; a hard disk has none."""
    if isinstance(smart, Unknown):
        return smart
    for name in _LIFE_LEFT:
        row = next((row for row in smart.attributes if row.name == name), None)
        if row is not None and row.value is not None and 0 < row.value <= _FULL:
            return Known(_FULL - row.value, f"{_SMART} {name}")
    return look.told(None, _SMART)


_FULL: Final = 100


def _failing(smart: SmartReport | Unknown) -> Fact[tuple[str, ...]]:
    """Names of the ATA attributes that are at or below their threshold now."""
    if isinstance(smart, Unknown):
        return smart
    if not smart.attributes:
        return look.told(None, _SMART)
    return Known(tuple(row.name for row in smart.attributes if row.when_failed == "now"), _SMART)
