"""What an NVMe drive's own answers say of its power-loss protection.

NVM Express Base Specification: Identify Controller vwc, feature 06h, log page 02h; a cache that survives power loss is
not volatile by its definition. OCP Datacenter NVMe SSD Specification: log page C0h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.readers import nvme_ocp_smart_log, nvme_output
from fsadvisor.survey.power_loss.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.readers.nvme_ocp_smart_log import OcpSmartLog
    from fsadvisor.survey.power_loss.evidence import Case

BACKUP_FAILED_BIT = 1 << 4
"""Critical warning: the volatile memory backup device has failed (log page 02h, byte 0)."""
FAILING_PERCENT = 1
_ID_CTRL, _FEATURE, _SMART_LOG, _OCP = (
    "nvme id-ctrl",
    "nvme get-feature --feature-id=6",
    "nvme smart-log",
    "nvme ocp smart-add-log",
)
_DEVICE_REFUSED = (nvme_output.DOES_NOT_ANSWER, nvme_ocp_smart_log.ANOTHER_LAYOUT)


def evidence(case: Case) -> Iterator[Evidence]:
    """All of it; nothing where the drive is no NVMe."""
    yield from warnings(case)
    if not isinstance(case.drive.ocp, Unknown):
        yield from _ocp(case.drive.ocp)
    yield from _cache(case)


def refused(answer: object) -> bool:
    """Whether the device itself, not a tool or the access, says that it has no such answer."""
    return isinstance(answer, Unknown) and answer.cause is Cause.NOT_EXPOSED and answer.learn in _DEVICE_REFUSED


def no_volatile_cache(case: Case) -> bool:
    """Whether the controller says that it has none (bit 0 of vwc, not the whole byte)."""
    return not isinstance(case.drive.id_ctrl, Unknown) and case.drive.id_ctrl.volatile_write_cache is False


def warnings(case: Case) -> Iterator[Evidence]:
    """The backup's failure, whichever tool saw it; its absence proves nothing."""
    log, smart = case.drive.smart_log, case.drive.smart
    told: list[tuple[int, str]] = []
    if not isinstance(log, Unknown) and log.critical_warning is not None:
        told.append((log.critical_warning, _SMART_LOG))
    if not isinstance(smart, Unknown) and smart.nvme is not None and smart.nvme.critical_warning is not None:
        told.append((smart.nvme.critical_warning.value, "smartctl"))
    for warning, source in told:
        if warning & BACKUP_FAILED_BIT:
            says = f"critical_warning {warning:#04x} bit 4: the backup of its volatile memory has failed"
            yield Evidence("failed", says, source, "veto")
            return
    if told:
        warning, source = told[0]
        yield Evidence("unknown", f"critical_warning {warning:#04x}: no failure of a memory backup reported", source)


def _ocp(log: OcpSmartLog) -> Iterator[Evidence]:
    if log.capacitor_health is not None:
        yield _capacitors(log.capacitor_health)
    if log.incomplete_shutdowns:
        says = f"{log.incomplete_shutdowns} incomplete shutdowns: not all data was saved"
        yield Evidence("failed", says, _OCP, "veto")
    if log.plp_start_count is not None:
        yield Evidence("unknown", f"its power-loss protection went to work {log.plp_start_count} times", _OCP)


def _capacitors(percent: int) -> Evidence:
    if percent == nvme_ocp_smart_log.NO_CAPACITORS:
        return Evidence("absent", "capacitor health FFFFh: no capacitors reported", _OCP, "veto")
    if percent <= FAILING_PERCENT:
        return Evidence("failed", f"capacitor health {percent} %", _OCP, "veto")
    return Evidence("proven", f"capacitor health {percent} % of the energy that is needed", _OCP, "proof")


def _cache(case: Case) -> Iterator[Evidence]:
    controller, feature = case.drive.id_ctrl, case.drive.cache_feature
    present = None if isinstance(controller, Unknown) else controller.volatile_write_cache
    switched_on = None if isinstance(feature, Unknown) else feature.volatile_write_cache_enabled
    if not isinstance(controller, Unknown) and present is not None:
        says = f"vwc {controller.vwc} bit 0"
        yield (
            Evidence("unknown", f"{says}: it calls its write cache volatile, so other evidence is needed", _ID_CTRL)
            if present
            else Evidence("proven", f"{says}: no volatile write cache", _ID_CTRL, "cache")
        )
    if switched_on is not None:
        yield Evidence("unknown", f"the volatile write cache is switched {'on' if switched_on else 'off'}", _FEATURE)
    if present is False and switched_on:
        says = "id-ctrl says that there is no volatile write cache, get-feature 6 that it is on"
        yield Evidence("unknown", f"{says}: the two contradict each other", _FEATURE, "doubt")
    yield from _against_kernel(case, present)
    yield from _against_table(case, present)


def _against_kernel(case: Case, present: bool | None) -> Iterator[Evidence]:
    if not isinstance(case.write_cache, Known) or present is None:
        return
    if not present and case.write_cache.value == "write back":
        yield _clash("id-ctrl says no volatile write cache, but the kernel says 'write back'", case.write_cache.source)
    if present and case.write_cache.value == "write through":
        says = "id-ctrl says volatile write cache, but the kernel says 'write through' and sends no flushes"
        yield Evidence("unknown", f"{says}: the two contradict each other", case.write_cache.source)


def _against_table(case: Case, present: bool | None) -> Iterator[Evidence]:
    if present is False and case.family is not None and case.family.verdict in ("absent", "partial"):
        yield _clash(
            f"id-ctrl says no volatile write cache, but the family ({case.family.name}) is sold without protection",
            "drive table",
        )


def _clash(says: str, source: str) -> Evidence:
    return Evidence("unknown", f"{says}: the two contradict each other", source, "clash")
