"""What an ATA or SCSI drive's own answers say of its power-loss protection.

Attributes go by the names of smartmontools' drive database: vendors use one id for many things. What a name is worth
depends on the drive's family (drives/attributes.toml). Counters of power losses (Unexpect_Power_Loss_Ct,
POR_Recovery_Count) are kept by drives without protection, too, and say nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.drives import attributes
from fsadvisor.facts import Unknown
from fsadvisor.survey.power_loss.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.drives import Attribute, Family
    from fsadvisor.drives.attributes import Worth
    from fsadvisor.readers.smart_record import AtaAttribute, SmartReport
    from fsadvisor.survey.power_loss.evidence import Case

_SMARTCTL = "smartctl"


def evidence(case: Case) -> Iterator[Evidence]:
    """All of it; nothing of an NVMe drive, whose logs are read elsewhere."""
    smart = case.drive.smart
    if isinstance(smart, Unknown):
        return
    for attribute in smart.attributes:
        row = attributes().get(attribute.name)
        if row is not None:
            found = _test(attribute, row) if row.kind == "test" else _failures(attribute)
            yield from (_weighed(it, row.worth(case.family), case.family) for it in found)
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
