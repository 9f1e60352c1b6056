"""What an ATA or SCSI drive's own answers say of its power-loss protection.

Attributes go by the names of smartmontools' drive database: vendors use one id for many things. Counters of power
losses (Unexpect_Power_Loss_Ct, POR_Recovery_Count) are kept by drives without protection, too, and say nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Unknown
from fsadvisor.survey.power_loss.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.readers.smart_record import AtaAttribute, SmartReport
    from fsadvisor.survey.power_loss.evidence import Case

_TESTS = frozenset(
    (
        "Power_Loss_Cap_Test",
        "Capacitor_Health",
        "Capacitor_Life",
        "Supercap_Status",
        "SuperCap_Health",
        "SuperCap_Charge_Status",
        "Power_Fail_Health",
        "PLP_Tests_Min_Us",
        "PLP_Mirror_Tests_Min_Us",
    )
)
"""The normalised value falls to the threshold as the capacitors wear."""
_FAILURES = frozenset(("PLP_Failure", "PwrLoss_ProtectionFail", "Power_Fail_Uncompl_Cnt"))
"""The raw value counts failures of the protection."""
_SMARTCTL = "smartctl"


def evidence(case: Case) -> Iterator[Evidence]:
    """All of it; nothing of an NVMe drive, whose logs are read elsewhere."""
    smart = case.drive.smart
    if isinstance(smart, Unknown):
        return
    for attribute in smart.attributes:
        if attribute.name in _TESTS:
            yield from _test(attribute)
        elif attribute.name in _FAILURES:
            yield from _failures(attribute)
    if smart.write_cache_enabled is not None:
        state = "on" if smart.write_cache_enabled else "off now, and may be switched on again"
        yield Evidence("unknown", f"its volatile write cache is {state}", _SMARTCTL)
    if smart.rotation_rate_rpm:
        says = f"it spins ({smart.rotation_rate_rpm} rpm): a hard disk's cache is lost with its power"
        yield Evidence("absent", says, _SMARTCTL, "veto")
    if smart.passed is False:
        yield Evidence("unknown", "the drive says that it is failing, which a lost protection can cause", _SMARTCTL)


def tell_health(smart: SmartReport) -> bool:
    """Whether the report holds what would show a failed protection: the attributes of ATA, the status of SCSI."""
    return bool(smart.attributes) if smart.protocol == "ATA" else smart.passed is not None


def _test(attribute: AtaAttribute) -> Iterator[Evidence]:
    if attribute.value is None or attribute.thresh is None:
        return
    says = f"{attribute.name} {attribute.value}, threshold {attribute.thresh}"
    if attribute.value <= attribute.thresh or attribute.when_failed == "now":
        yield Evidence("failed", says, _SMARTCTL, "veto")
    elif attribute.when_failed == "past":
        yield Evidence("claimed", f"{says}, but it failed in the past", _SMARTCTL, "weak")
    elif attribute.thresh == 0:
        yield Evidence("claimed", f"{says}: no limit that it could fail", _SMARTCTL, "weak")
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
