"""Power-loss protection: evidence weighed into a verdict.

'proven' rests on the device's own word: an NVMe controller without a volatile cache, a capacitor page, a passed
capacitor test. A critical warning that the backup has failed overrules everything. What a hypervisor shows is never
proven. While something that could decide was not asked (not root, no tool), the verdict is not known at all;
'unknown' is the verdict when everything was asked and nothing decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import look
from fsadvisor.survey.drive import critical_warning

if TYPE_CHECKING:
    from fsadvisor.readers.smart_record import AtaAttribute
    from fsadvisor.storage import PlpVerdict, Transport, WriteCache
    from fsadvisor.survey.drive import Drive

BACKUP_FAILED_BIT = 1 << 4
"""NVMe critical warning: the volatile memory backup device has failed (NVMe base specification, log 02h byte 0)."""
NO_CAPACITORS = 0xFFFF
_FAILING_PERCENT = 1
_CAPACITOR_TESTS = frozenset(("Power_Loss_Cap_Test", "Capacitor_Health", "Capacitor_Life"))
"""SATA attributes whose normalized value falls to its threshold as the capacitors wear (by name: ids are reused)."""
_CURABLE = {Cause.DENIED, Cause.NO_TOOL, Cause.TIMED_OUT, Cause.UNREADABLE}


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that speaks for a verdict."""

    verdict: PlpVerdict
    says: str


Weighed: TypeAlias = tuple["Fact[PlpVerdict]", "Fact[tuple[str, ...]]"]


def weigh(transport: Fact[Transport], virtual: Fact[bool], write_cache: Fact[WriteCache], drive: Drive) -> Weighed:
    """The verdict on a disk, and what it rests on."""
    if look.value(transport) == "ram":
        return _verdict("absent", [Evidence("absent", "lives in memory: a power loss takes everything")])
    evidence = [*_nvme(drive), *_sata(drive)]
    if any(it.verdict == "failed" for it in evidence):
        return _verdict("failed", evidence)
    if isinstance(virtual, Known) and virtual.value:
        seen = Evidence("unknown", f"nothing can be proven from inside: {virtual.source}")
        return _verdict("unknown", [*evidence, seen])
    missing = _not_asked(virtual, drive)
    if missing is not None:
        return missing, Known(tuple(it.says for it in evidence), "power-loss evidence")
    return _decide(virtual, write_cache, evidence)


def _decide(virtual: Fact[bool], write_cache: Fact[WriteCache], evidence: list[Evidence]) -> Weighed:
    if isinstance(virtual, Unknown):
        return _verdict("unknown", [*evidence, Evidence("unknown", virtual.source)])
    no_cache = any(it.verdict == "proven" and "vwc" in it.says for it in evidence)
    if no_cache and look.value(write_cache) == "write back":
        clash = Evidence("unknown", "but the kernel says 'write back': the two contradict each other")
        return _verdict("unknown", [*evidence, clash])
    for verdict in ("absent", "proven"):
        if any(it.verdict == verdict for it in evidence):
            return _verdict(verdict, evidence)
    return _verdict("unknown", [*evidence, Evidence("unknown", "all that could be asked was asked; nothing proves it")])


def _verdict(verdict: PlpVerdict, evidence: list[Evidence]) -> Weighed:
    says = tuple(it.says for it in evidence)
    return Known(verdict, "; ".join(says)), Known(says, "power-loss evidence")


def _not_asked(virtual: Fact[bool], drive: Drive) -> Unknown | None:
    """The first answer that is missing though it could be had, and could decide."""
    if isinstance(virtual, Unknown) and virtual.learn:
        return virtual
    answers = (drive.id_ctrl, critical_warning(drive), drive.smart)
    return next((it for it in answers if isinstance(it, Unknown) and it.cause in _CURABLE), None)


def _nvme(drive: Drive) -> list[Evidence]:
    found: list[Evidence] = []
    warning = critical_warning(drive)
    if isinstance(warning, Known) and warning.value & BACKUP_FAILED_BIT:
        says = f"critical_warning {warning.value:#04x} bit 4: the memory backup has failed ({warning.source})"
        found.append(Evidence("failed", says))
    if not isinstance(drive.ocp, Unknown) and drive.ocp.capacitor_health is not None:
        found.append(_capacitors(drive.ocp.capacitor_health))
    if not isinstance(drive.id_ctrl, Unknown) and drive.id_ctrl.volatile_write_cache is False:
        found.append(Evidence("proven", f"id-ctrl vwc {drive.id_ctrl.vwc} bit 0: no volatile write cache"))
    return found


def _capacitors(percent: int) -> Evidence:
    if percent == NO_CAPACITORS:
        return Evidence("absent", "OCP capacitor health FFFFh: no capacitors reported")
    if percent <= _FAILING_PERCENT:
        return Evidence("failed", f"OCP capacitor health {percent} %")
    return Evidence("proven", f"OCP capacitor health {percent} %")


def _sata(drive: Drive) -> list[Evidence]:
    if isinstance(drive.smart, Unknown):
        return []
    return [it for it in map(_attribute, drive.smart.attributes) if it is not None]


def _attribute(attribute: AtaAttribute) -> Evidence | None:
    """A capacitor test that the drive makes of itself."""
    if attribute.name not in _CAPACITOR_TESTS or attribute.value is None or attribute.thresh is None:
        return None
    says = f"{attribute.name} {attribute.value}, threshold {attribute.thresh}"
    if attribute.value <= attribute.thresh or attribute.when_failed not in (None, "", "-", "past"):
        return Evidence("failed", says)
    return Evidence("proven", says) if attribute.thresh > 0 else None
