"""What people have said of a machine, beside the facts that they attested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    """An attestation or waiver that does not count, and why; `place` is where it stands in the file."""

    place: str
    what: str
    why: str
