"""What people have said of a machine, beside the facts that they attested, and what they suppose of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A finding of a rule on a subject that somebody has accepted, up to and with the day `until`."""

    rule: str
    subject: str
    by: str
    on: date
    until: date
    because: str
    link: str = ""
    place: str
    """Where it stands in the file: 'waiver 2'."""

    @property
    def what(self) -> str:
        """The waiver in words."""
        return f"{self.rule} on {self.subject}, by {self.by}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """An attestation, waiver or result of a probe that does not count, and why; `place` is where it stands."""

    place: str
    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What following a rule's advice brought in a trial on scratch filesystems here."""

    rule: str
    subjects: frozenset[str]
    """Ids of the mount that it was tried for and of what is below it."""
    percent: float
    """How much faster it was, the middle; 0 where there is no difference that matters, or it was slower."""
    says: str
    """'faster by 8 to 15 %'."""
    how: str
    """Where, when and by what."""


@dataclass(frozen=True, slots=True)
class Supposition:
    """A fact of a subject, taken to be something else than it is: 'disk:sda', 'disk.plp', 'proven'.

    The fact is the subject's own ('below.any_thin' of a layer or a filesystem, never of a mount on it). `value` is of
    the type that the catalogue says; None supposes that the fact is not known.
    """

    subject: str
    fact: str
    value: Any
