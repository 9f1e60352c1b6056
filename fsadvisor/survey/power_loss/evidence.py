"""Evidence for and against power-loss protection: by what a drive answers, and by what is said of its family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from msgspec import Struct

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.drives import Family
    from fsadvisor.storage import ControllerBattery, ControllerCache, DriveCaches, PlpVerdict, Transport, WriteCache
    from fsadvisor.survey.controllers import Cache
    from fsadvisor.survey.drive import Drive

Weight: TypeAlias = Literal["veto", "proof", "cache", "claim", "weak", "clash", "doubt", "note"]
"""veto decides alone; proof is the device's own test of its capacitors; cache its word that no cache is volatile;
claim is the table's or a person's word; weak is device evidence that no test backs; clash is a contradiction that takes
all worth from what the device says of its cache, doubt one that leaves it a claim; note is the rest."""

NOT_ATTESTED = Unknown(Cause.NOT_ATTESTED, "")


class Evidence(Struct, frozen=True):
    """One thing that was weighed: the verdict that it speaks for ('unknown' where it settles nothing), and why."""

    verdict: PlpVerdict
    says: str
    source: str
    weight: Weight = "note"

    def __str__(self) -> str:
        """One line."""
        speaks = "note" if self.verdict == "unknown" else f"for {self.verdict}"
        return f"{speaks}: {self.says} ({self.source})"


class Controller(Struct, frozen=True, kw_only=True):
    """The RAID controller whose volume a disk is: what its tool says, if asked, and what it did not answer."""

    says: Evidence | None = None
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
    controller: Controller | None = None
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


def by_model(case: DriveEvidence) -> Iterator[Evidence]:
    """The family's and the data sheet's word."""
    if case.family is not None:
        yield _family(case.family)
        if case.family.lossy:
            says = "drives of the family lost data after a completed flush in a published test"
            yield Evidence("unknown", says, "drive table")
    if isinstance(case.datasheet, Known):
        verdict: PlpVerdict = "claimed" if case.datasheet.value else "absent"
        does = "promises" if case.datasheet.value else "does not promise"
        yield Evidence(verdict, f"a person read that the data sheet {does} it", case.datasheet.source, "claim")


def _family(family: Family) -> Evidence:
    verdict, says = _SAYS[family.verdict]
    sources = f": {'; '.join(family.sources)}" if family.sources else ""
    return Evidence(
        verdict,
        f"the model is of the family {family.name}, {says} ({family.confidence} confidence{sources})",
        "drive table",
        "note" if verdict == "unknown" else "claim",
    )


T = TypeVar("T")


def by_controller(cache: Cache, tool: str | None) -> Controller | None:
    """The controller in front with its evidence, None where there is none."""
    if tool in (None, "none"):
        return None
    facts: tuple[Fact[object], ...] = (cache.policy, cache.battery, cache.drive_caches)
    return Controller(
        says=_evidence(cache, str(tool)),
        missing=tuple(dict.fromkeys(it for it in facts if isinstance(it, Unknown) and it.learn)),
    )


def _evidence(cache: Cache, tool: str) -> Evidence:
    policy, battery, drives = _told(cache.policy), _told(cache.battery), _told(cache.drive_caches)
    says = (
        f"the RAID controller's battery or capacitor: {battery or 'not told'}; its policy: {policy or 'not told'};"
        f" the drives' own caches: {drives or 'not told'}"
    )
    return Evidence(_verdict(policy, battery, drives), says, tool, "veto" if battery == "failed" else "note")


def _told(fact: Fact[T]) -> T | None:
    return fact.value if isinstance(fact, Known) else None


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
