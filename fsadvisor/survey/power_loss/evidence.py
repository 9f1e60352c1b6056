"""Evidence of power-loss protection: one piece each, and the case that they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown

if TYPE_CHECKING:
    from fsadvisor.drives import Family
    from fsadvisor.storage import PlpVerdict, Transport, WriteCache
    from fsadvisor.survey.drive import Drive

Weight: TypeAlias = Literal["veto", "proof", "cache", "claim", "weak", "clash", "doubt", "note"]
"""veto decides alone; proof is the device's own test of its capacitors; cache its word that no cache is volatile;
claim is the table's or a person's word; weak is device evidence that no test backs; clash is a contradiction that takes
all worth from what the device says of its cache, doubt one that leaves it a claim; note is the rest."""

NOT_ATTESTED = Unknown(Cause.NOT_ATTESTED, "")


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that was weighed: the verdict that it speaks for ('unknown' where it settles nothing), and why."""

    verdict: PlpVerdict
    says: str
    source: str
    weight: Weight = "note"

    def __str__(self) -> str:
        """One line."""
        speaks = "note" if self.verdict == "unknown" else f"for {self.verdict}"
        return f"{speaks}: {self.says} ({self.source})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """The RAID controller whose volume a disk is: what its tool says, if asked, and what it did not answer."""

    says: Evidence | None = None
    missing: tuple[Unknown, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
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
