"""What a drive itself shows of its protection: attributes of SATA and SAS, logs and features of NVMe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.drives.tables import attributes
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.readers import nvme_logs, nvme_output
from fsadvisor.survey.power_loss.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.drives import Attribute, Family
    from fsadvisor.drives.tables import Worth
    from fsadvisor.readers.nvme_logs import OcpSmartLog
    from fsadvisor.readers.smart_record import AtaAttribute, SmartReport
    from fsadvisor.survey.power_loss.evidence import DriveEvidence

_SMARTCTL = "smartctl"
_OF_PLATTERS = {"Spin_Up_Time", "Seek_Error_Rate", "Spin_Retry_Count"}
"""What hard disks count; those of before 2008 do not tell how fast they spin."""


def by_attributes(case: DriveEvidence) -> Iterator[Evidence]:
    """All of it; nothing of an NVMe drive, whose logs are read elsewhere."""
    smart = case.drive.smart
    if isinstance(smart, Unknown):
        return
    for attribute in smart.attributes:
        row = attributes().get(attribute.name)
        if attribute.name == _DEFAULT_175 and case.family is not None and case.family.verdict == "oem":
            yield from _unnamed_test(attribute)
        if row is not None:
            found = _test(attribute, row) if row.kind == "test" else _failures(attribute)
            yield from (_weighed(it, row.worth(case.family), case.family) for it in found)
    if smart.write_cache_enabled is not None:
        state = "on" if smart.write_cache_enabled else "off now, and may be switched on again"
        yield Evidence("unknown", f"its volatile write cache is {state}", _SMARTCTL)
    if smart.rotation_rate_rpm:
        says = f"it is rotational ({smart.rotation_rate_rpm} rpm): a hard disk's cache is lost with its power"
        yield Evidence("absent", says, _SMARTCTL, "veto")
    elif smart.rotation_rate_rpm is None and {it.name for it in smart.attributes} >= _OF_PLATTERS:
        says = "it counts how its platters spin up and its heads seek: a hard disk's cache is lost with its power"
        yield Evidence("absent", says, _SMARTCTL, "veto")
    if smart.passed is False:
        yield Evidence("unknown", "the drive says that it is failing, which a lost protection can cause", _SMARTCTL)


_DEFAULT_175 = "Program_Fail_Count_Chip"
"""smartmontools' name of attribute 175 on drives that are not in its database, as on resellers' numbers."""


def _unnamed_test(attribute: AtaAttribute) -> Iterator[Evidence]:
    """Attribute 175 with the layout of Intel's capacitor test: what a reseller's number hides, the drive tells.

    The raw value is three words: microseconds of the last test (25 to 65535; below are codes of errors), minutes since
    it, tests in all. The threshold is 10. smartmontools names it so for HPE's Intel drives (VK000480GWSXF, 2026-08-19).
    Drives of other makers under HPE's numbers have a threshold of 1 there.
    """
    if attribute.raw_value is None or attribute.value is None:
        return
    microseconds, tests = attribute.raw_value & 0xFFFF, attribute.raw_value >> 32
    if attribute.thresh == _INTEL_THRESHOLD and microseconds >= _SHORTEST_TEST_US and 0 < tests <= _WORD:
        says = f"attribute 175 is {attribute.value} and has the layout of Intel's capacitor test: {tests} tests"
        passed = attribute.value == _INTEL_PASSED
        yield Evidence("claimed" if passed else "unknown", says, _SMARTCTL, "weak" if passed else "note")


_INTEL_THRESHOLD, _INTEL_PASSED, _SHORTEST_TEST_US, _WORD = 10, 100, 25, 0xFFFF


def tell_health(smart: SmartReport) -> bool:
    """Whether the report holds what would show a failed protection: the attributes of ATA, the status of SCSI."""
    return bool(smart.attributes) if smart.protocol == "ATA" else smart.passed is not None


def _test(attribute: AtaAttribute, row: Attribute) -> Iterator[Evidence]:
    if attribute.value is None or attribute.thresh is None:
        return
    says = f"{attribute.name} {attribute.value}, threshold {attribute.thresh}"
    if attribute.value <= attribute.thresh or attribute.when_failed == "now":
        yield Evidence("failed", says, _SMARTCTL, "veto")
    elif attribute.when_failed == "past":
        yield Evidence("claimed", f"{says}, but it failed in the past", _SMARTCTL, "weak")
    elif attribute.thresh == 0:
        yield Evidence("claimed", f"{says}: no limit that it could fail", _SMARTCTL, "weak")
    elif row.passed is not None and attribute.value != row.passed:
        yield Evidence("claimed", f"{says}: a test that counted and passed would show {row.passed}", _SMARTCTL, "weak")
    else:
        yield Evidence("proven", f"{says}: its own test passed", _SMARTCTL, "proof")


def _failures(attribute: AtaAttribute) -> Iterator[Evidence]:
    if attribute.raw_value is None:
        return
    says = f"{attribute.name} {attribute.raw_value}"
    if attribute.raw_value or attribute.when_failed == "now":
        yield Evidence("failed", f"{says}: its protection has failed", _SMARTCTL, "veto")
    else:
        yield Evidence("claimed", f"{says}: no failure counted", _SMARTCTL, "weak")


def _weighed(found: Evidence, worth: Worth, family: Family | None) -> Evidence:
    """As much of it as its name is worth on this drive; a failure counts unless there is nothing to fail."""
    if worth == "nothing" and (found.weight != "veto" or (family is not None and family.verdict == "absent")):
        says = f"{found.says}; drives without capacitors have this attribute, too"
        return Evidence("unknown", says, found.source)
    if worth != "full" and found.weight == "proof":
        says = f"{found.says}, but it is not known what that means for this family"
        return Evidence("claimed", says, found.source, "weak")
    return found


BACKUP_FAILED_BIT = 1 << 4
"""Critical warning: the volatile memory backup device has failed (log page 02h, byte 0)."""
FAILING_PERCENT = 1
_ID_CTRL, _FEATURE, _SMART_LOG, _OCP = (
    "nvme id-ctrl",
    "nvme get-feature --feature-id=6",
    "nvme smart-log",
    "nvme ocp smart-add-log",
)
_DEVICE_REFUSED = (nvme_output.DOES_NOT_ANSWER, nvme_logs.ANOTHER_LAYOUT)


def by_nvme(case: DriveEvidence) -> Iterator[Evidence]:
    """All of it; nothing where the drive is no NVMe."""
    yield from warnings(case)
    if not isinstance(case.drive.ocp, Unknown):
        yield from _ocp(case.drive.ocp)
    yield from _cache(case)


def refused(answer: object) -> bool:
    """Whether the device itself, not a tool or the access, says that it has no such answer."""
    return isinstance(answer, Unknown) and answer.cause is Cause.NOT_EXPOSED and answer.learn in _DEVICE_REFUSED


def no_volatile_cache(case: DriveEvidence) -> bool:
    """Whether the controller says that it has none (bit 0 of vwc, not the whole byte)."""
    return not isinstance(case.drive.id_ctrl, Unknown) and case.drive.id_ctrl.volatile_write_cache is False


def warnings(case: DriveEvidence) -> Iterator[Evidence]:
    """The backup's failure, whichever tool saw it; its absence proves nothing."""
    log, smart = case.drive.smart_log, case.drive.smart
    found: list[tuple[int, str]] = []
    if not isinstance(log, Unknown) and log.critical_warning is not None:
        found.append((log.critical_warning, _SMART_LOG))
    if not isinstance(smart, Unknown) and smart.nvme is not None and smart.nvme.critical_warning is not None:
        found.append((smart.nvme.critical_warning.value, "smartctl"))
    for warning, source in found:
        if warning & BACKUP_FAILED_BIT:
            says = f"critical_warning {warning:#04x} bit 4: the backup of its volatile memory has failed"
            yield Evidence("failed", says, source, "veto")
            return
    if found:
        warning, source = found[0]
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
    if percent == nvme_logs.NO_CAPACITORS:
        return Evidence("absent", "capacitor health FFFFh: no capacitors reported", _OCP, "veto")
    if percent <= FAILING_PERCENT:
        return Evidence("failed", f"capacitor health {percent} %", _OCP, "veto")
    return Evidence("proven", f"capacitor health {percent} % of the energy that is needed", _OCP, "proof")


def _cache(case: DriveEvidence) -> Iterator[Evidence]:
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


def _against_kernel(case: DriveEvidence, present: bool | None) -> Iterator[Evidence]:
    if not isinstance(case.write_cache, Known) or present is None:
        return
    if not present and case.write_cache.value == "write back":
        yield _clash("id-ctrl says no volatile write cache, but the kernel says 'write back'", case.write_cache.source)
    if present and case.write_cache.value == "write through":
        says = "id-ctrl says volatile write cache, but the kernel says 'write through' and sends no flushes"
        yield Evidence("unknown", f"{says}: the two contradict each other", case.write_cache.source)


def _against_table(case: DriveEvidence, present: bool | None) -> Iterator[Evidence]:
    if present is False and case.family is not None and case.family.verdict in ("absent", "partial"):
        yield _clash(
            f"id-ctrl says no volatile write cache, but the family ({case.family.name}) is sold without protection",
            "drive table",
        )


def _clash(says: str, source: str) -> Evidence:
    return Evidence("unknown", f"{says}: the two contradict each other", source, "clash")
