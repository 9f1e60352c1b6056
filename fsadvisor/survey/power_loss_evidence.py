"""Evidence for and against power-loss protection: what a drive shows itself, and what is said of its family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.drives import attributes
from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.readers import nvme_logs, nvme_output
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.drives import Attribute, Family, Worth
    from fsadvisor.readers.nvme_logs import OcpSmartLog
    from fsadvisor.readers.smartctl import AtaAttribute, SmartReport
    from fsadvisor.storage.about import (
        ControllerBattery,
        ControllerCache,
        DriveCaches,
        PlpVerdict,
        Transport,
        WriteCache,
    )
    from fsadvisor.survey.controllers import Cache
    from fsadvisor.survey.drive import Drive

Weight: TypeAlias = Literal["veto", "proof", "cache", "claim", "weak", "clash", "doubt", "note"]
"""veto decides alone; proof is the device's own test of its capacitors; cache its word that no cache is volatile;
claim is the table's or a person's word; weak is device evidence that no test backs; clash is a contradiction that takes
all worth from what the device says of its cache, doubt one that leaves it a claim; note is the rest."""

NOT_ATTESTED = Unknown(Cause.NOT_ATTESTED, "")


class PlpEvidence(Struct, frozen=True):
    """One thing that was weighed: the verdict that it speaks for ('unknown' where it settles nothing), and why."""

    verdict: PlpVerdict
    says: str
    source: str
    weight: Weight = "note"

    def __str__(self) -> str:
        """One line."""
        speaks = "note" if self.verdict == "unknown" else f"for {self.verdict}"
        return f"{speaks}: {self.says} ({self.source})"


class ControllerEvidence(Struct, frozen=True, kw_only=True):
    """The RAID controller whose volume a disk is: what its tool says, if asked, and what it did not answer."""

    says: PlpEvidence | None = None
    missing: tuple[Unknown, ...] = ()


class DriveEvidence(Struct, frozen=True, kw_only=True):
    """A disk whose power-loss protection is in question, with all that was asked.

    `write_cache` and `rotational` are NOT_APPLICABLE where only a drive's outputs are at hand, not its machine.
    """

    device: str = "DEVICE"
    transport: Transport | None
    model: Fact[str]
    family: Family | None
    virtual: Fact[bool]
    write_cache: Fact[WriteCache] = NOT_APPLICABLE
    rotational: Fact[bool] = NOT_APPLICABLE
    drive: Drive
    controller: ControllerEvidence | None = None
    datasheet: Fact[bool] = NOT_ATTESTED

    @property
    def is_nvme(self) -> bool:
        """Whether NVMe's logs are the ones to ask."""
        return self.transport == "nvme"

    @property
    def from_files(self) -> bool:
        """Whether only outputs are at hand, not the machine."""
        return self.write_cache is NOT_APPLICABLE


def is_known_as(fact: Fact[bool], value: bool) -> bool:
    """Whether a fact is known to be so."""
    return isinstance(fact, Known) and fact.value is value


_SAYS: dict[str, tuple[PlpVerdict, str]] = {
    "claimed": ("claimed", "sold as protected against power loss"),
    "partial": ("partial", "protects what is on the media already, not what is on its way"),
    "absent": ("absent", "sold without protection against power loss"),
    "unknown": ("unknown", "it is not settled whether it is protected"),
    "oem": ("unknown", "a reseller's number that hides the family"),
    "cloud": ("unknown", "a name that hypervisors and clouds give"),
}


def by_model(case: DriveEvidence) -> Iterator[PlpEvidence]:
    """The family's and the data sheet's word."""
    if case.family is not None:
        yield _family(case.family)
        if case.family.lossy:
            says = "drives of the family lost data after a completed flush in a published test"
            yield PlpEvidence("unknown", says, "drive table")
    if isinstance(case.datasheet, Known):
        verdict: PlpVerdict = "claimed" if case.datasheet.value else "absent"
        does = "promises" if case.datasheet.value else "does not promise"
        yield PlpEvidence(verdict, f"a person read that the data sheet {does} it", case.datasheet.source, "claim")


def _family(family: Family) -> PlpEvidence:
    verdict, says = _SAYS[family.verdict]
    sources = f": {'; '.join(family.sources)}" if family.sources else ""
    return PlpEvidence(
        verdict,
        f"the model is of the family {family.name}, {says} ({family.confidence} confidence{sources})",
        "drive table",
        "note" if verdict == "unknown" else "claim",
    )


def by_controller(cache: Cache, tool: str | None) -> ControllerEvidence | None:
    """The controller in front with its evidence, None where there is none."""
    if tool in (None, "none"):
        return None
    facts: tuple[Fact[object], ...] = (cache.policy, cache.battery, cache.drive_caches)
    return ControllerEvidence(
        says=_evidence(cache, str(tool)),
        missing=tuple(dict.fromkeys(it for it in facts if isinstance(it, Unknown) and it.learn)),
    )


def _evidence(cache: Cache, tool: str) -> PlpEvidence:
    policy, battery, drives = (
        read_fact.value(cache.policy),
        read_fact.value(cache.battery),
        read_fact.value(cache.drive_caches),
    )
    says = (
        f"the RAID controller's battery or capacitor: {battery or 'not told'}; its policy: {policy or 'not told'};"
        f" the drives' own caches: {drives or 'not told'}"
    )
    return PlpEvidence(_verdict(policy, battery, drives), says, tool, "veto" if battery == "failed" else "note")


def _verdict(
    policy: ControllerCache | None, battery: ControllerBattery | None, drives: DriveCaches | None
) -> PlpVerdict:
    if battery == "failed":
        return "failed"
    if battery == "absent" and policy == "always write back":
        return "absent"
    if battery == "optimal" and drives == "enabled":
        return "partial"
    if battery == "optimal" and drives == "disabled" and policy is not None:
        return "proven" if policy == "write back" else "claimed"
    return "unknown"


_SMARTCTL = "smartctl"
_OF_PLATTERS = {"Spin_Up_Time", "Seek_Error_Rate", "Spin_Retry_Count"}
"""What hard disks count; those of before 2008 do not tell how fast they spin."""


def by_attributes(case: DriveEvidence) -> Iterator[PlpEvidence]:
    """All of it; nothing of an NVMe drive, whose logs are read elsewhere."""
    smart = case.drive.smart
    if isinstance(smart, Unknown):
        return
    told = (it for attribute in smart.attributes for it in _by_attribute(attribute, case.family))
    yield from dict.fromkeys(told)  # the S4510 has the same test twice, as 175 and 235
    if smart.write_cache_enabled is not None:
        state = "on" if smart.write_cache_enabled else "off now, and may be switched on again"
        yield PlpEvidence("unknown", f"its volatile write cache is {state}", _SMARTCTL)
    if smart.rotation_rate_rpm:
        says = f"it is rotational ({smart.rotation_rate_rpm} rpm): a hard disk's cache is lost with its power"
        yield PlpEvidence("absent", says, _SMARTCTL, "veto")
    elif smart.rotation_rate_rpm is None and {it.name for it in smart.attributes} >= _OF_PLATTERS:
        says = "it counts how its platters spin up and its heads seek: a hard disk's cache is lost with its power"
        yield PlpEvidence("absent", says, _SMARTCTL, "veto")
    if smart.passed is False:
        yield PlpEvidence("unknown", "the drive says that it is failing, which a lost protection can cause", _SMARTCTL)


def _by_attribute(attribute: AtaAttribute, family: Family | None) -> Iterator[PlpEvidence]:
    row = attributes().get(attribute.name)
    if attribute.name == _DEFAULT_175 and family is not None and family.verdict == "oem":
        yield from _unnamed_test(attribute)
    if row is not None:
        found = _test(attribute, row) if row.kind == "test" else _failures(attribute)
        yield from (_weighed(it, row.worth(family), family) for it in found)


_DEFAULT_175 = "Program_Fail_Count_Chip"
"""smartmontools' name of attribute 175 on drives that are not in its database, as on resellers' numbers."""


def _unnamed_test(attribute: AtaAttribute) -> Iterator[PlpEvidence]:
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
        yield PlpEvidence("claimed" if passed else "unknown", says, _SMARTCTL, "weak" if passed else "note")


_INTEL_THRESHOLD, _INTEL_PASSED, _SHORTEST_TEST_US, _WORD = 10, 100, 25, 0xFFFF


def tell_health(smart: SmartReport) -> bool:
    """Whether the report holds what would show a failed protection: the attributes of ATA, the status of SCSI."""
    return bool(smart.attributes) if smart.protocol == "ATA" else smart.passed is not None


def _test(attribute: AtaAttribute, row: Attribute) -> Iterator[PlpEvidence]:
    if attribute.value is None or attribute.thresh is None:
        return
    says = f"{attribute.name} {attribute.value}, threshold {attribute.thresh}"
    if attribute.value <= attribute.thresh or attribute.when_failed == "now":
        yield PlpEvidence("failed", says, _SMARTCTL, "veto")
    elif attribute.when_failed == "past":
        yield PlpEvidence("claimed", f"{says}, but it failed in the past", _SMARTCTL, "weak")
    elif attribute.thresh == 0:
        yield PlpEvidence("claimed", f"{says}: no limit that it could fail", _SMARTCTL, "weak")
    elif row.passed is not None and attribute.value != row.passed:
        yield PlpEvidence(
            "claimed", f"{says}: a test that counted and passed would show {row.passed}", _SMARTCTL, "weak"
        )
    else:
        yield PlpEvidence("proven", f"{says}: its own test passed", _SMARTCTL, "proof")


def _failures(attribute: AtaAttribute) -> Iterator[PlpEvidence]:
    if attribute.raw_value is None:
        return
    says = f"{attribute.name} {attribute.raw_value}"
    if attribute.raw_value or attribute.when_failed == "now":
        yield PlpEvidence("failed", f"{says}: its protection has failed", _SMARTCTL, "veto")
    else:
        yield PlpEvidence("claimed", f"{says}: no failure counted", _SMARTCTL, "weak")


def _weighed(found: PlpEvidence, worth: Worth, family: Family | None) -> PlpEvidence:
    """As much of it as its name is worth on this drive; a failure counts unless there is nothing to fail."""
    if worth == "nothing" and (found.weight != "veto" or (family is not None and family.verdict == "absent")):
        says = f"{found.says}; drives without capacitors have this attribute, too"
        return PlpEvidence("unknown", says, found.source)
    if worth != "full" and found.weight == "proof":
        says = f"{found.says}, but it is not known what that means for this family"
        return PlpEvidence("claimed", says, found.source, "weak")
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


def by_nvme(case: DriveEvidence) -> Iterator[PlpEvidence]:
    """All of it; nothing where the drive is no NVMe."""
    yield from warnings(case)
    if not isinstance(case.drive.ocp, Unknown):
        yield from _ocp(case.drive.ocp)
    yield from _cache(case)


def refused(answer: object) -> bool:
    """Whether the device itself, not a tool or the access, says that it has no such answer."""
    words = (nvme_output.DOES_NOT_ANSWER, nvme_logs.ANOTHER_LAYOUT)
    return isinstance(answer, Unknown) and answer.cause is Cause.NOT_EXPOSED and answer.learn in words


def no_volatile_cache(case: DriveEvidence) -> bool:
    """Whether the controller says that it has none (bit 0 of vwc, not the whole byte)."""
    return not isinstance(case.drive.id_ctrl, Unknown) and case.drive.id_ctrl.volatile_write_cache is False


def warnings(case: DriveEvidence) -> Iterator[PlpEvidence]:
    """The backup's failure, whichever tool saw it; its absence proves nothing."""
    log, smart = case.drive.smart_log, case.drive.smart
    found: list[tuple[int, str]] = []
    if not isinstance(log, Unknown) and log.critical_warning is not None:
        found.append((log.critical_warning, _SMART_LOG))
    if not isinstance(smart, Unknown) and smart.nvme is not None and smart.nvme.critical_warning is not None:
        found.append((smart.nvme.critical_warning, "smartctl"))
    for warning, source in found:
        if warning & BACKUP_FAILED_BIT:
            says = f"critical_warning {warning:#04x} bit 4: the backup of its volatile memory has failed"
            yield PlpEvidence("failed", says, source, "veto")
            return
    if found:
        warning, source = found[0]
        yield PlpEvidence("unknown", f"critical_warning {warning:#04x}: no failure of a memory backup reported", source)


def _ocp(log: OcpSmartLog) -> Iterator[PlpEvidence]:
    if log.capacitor_health is not None:
        yield _capacitors(log.capacitor_health)
    if log.incomplete_shutdowns:
        says = f"{log.incomplete_shutdowns} incomplete shutdowns: not all data was saved"
        yield PlpEvidence("failed", says, _OCP, "veto")
    if log.plp_start_count is not None:
        yield PlpEvidence("unknown", f"its power-loss protection went to work {log.plp_start_count} times", _OCP)


def _capacitors(percent: int) -> PlpEvidence:
    if percent == nvme_logs.NO_CAPACITORS:
        return PlpEvidence("absent", "capacitor health FFFFh: no capacitors reported", _OCP, "veto")
    if percent <= FAILING_PERCENT:
        return PlpEvidence("failed", f"capacitor health {percent} %", _OCP, "veto")
    return PlpEvidence("proven", f"capacitor health {percent} % of the energy that is needed", _OCP, "proof")


def _cache(case: DriveEvidence) -> Iterator[PlpEvidence]:
    controller, feature = case.drive.id_ctrl, case.drive.cache_feature
    present = None if isinstance(controller, Unknown) else controller.volatile_write_cache
    switched_on = None if isinstance(feature, Unknown) else feature.volatile_write_cache_enabled
    if not isinstance(controller, Unknown) and present is not None:
        says = f"vwc {controller.vwc} bit 0"
        yield (
            PlpEvidence("unknown", f"{says}: it calls its write cache volatile, so other evidence is needed", _ID_CTRL)
            if present
            else PlpEvidence("proven", f"{says}: no volatile write cache", _ID_CTRL, "cache")
        )
    if switched_on is not None:
        yield PlpEvidence("unknown", f"the volatile write cache is switched {'on' if switched_on else 'off'}", _FEATURE)
    if present is False and switched_on:
        says = "id-ctrl says that there is no volatile write cache, get-feature 6 that it is on"
        yield PlpEvidence("unknown", f"{says}: the two contradict each other", _FEATURE, "doubt")
    yield from _against_kernel(case, present)
    yield from _against_table(case, present)


def _against_kernel(case: DriveEvidence, present: bool | None) -> Iterator[PlpEvidence]:
    if not isinstance(case.write_cache, Known) or present is None:
        return
    if not present and case.write_cache.value == "write back":
        yield _clash("id-ctrl says no volatile write cache, but the kernel says 'write back'", case.write_cache.source)
    if present and case.write_cache.value == "write through":
        says = "id-ctrl says volatile write cache, but the kernel says 'write through' and sends no flushes"
        yield PlpEvidence("unknown", f"{says}: the two contradict each other", case.write_cache.source)


def _against_table(case: DriveEvidence, present: bool | None) -> Iterator[PlpEvidence]:
    if present is False and case.family is not None and case.family.verdict in ("absent", "partial"):
        yield _clash(
            f"id-ctrl says no volatile write cache, but the family ({case.family.name}) is sold without protection",
            "drive table",
        )


def _clash(says: str, source: str) -> PlpEvidence:
    return PlpEvidence("unknown", f"{says}: the two contradict each other", source, "clash")
