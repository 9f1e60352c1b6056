"""Pressure stall information: /proc/pressure/io, memory and cpu, and a cgroup's io.pressure and the like.

Written against Linux 6.18 (since 4.20; the file is absent where CONFIG_PSI is off or psi=0 was booted;
`full` of cpu since 5.13).

    some avg10=0.05 avg60=0.21 avg300=0.28 total=5213089
    full avg10=0.00 avg60=0.00 avg300=0.00 total=0

https://docs.kernel.org/accounting/psi.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import real, unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """How long tasks waited for the resource."""

    avg10_percent: float | None
    """Share of the last 10 s, 0 to 100."""
    avg60_percent: float | None
    avg300_percent: float | None
    total_us: int | None
    """Microseconds since boot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """One resource."""

    some: Stall | None
    """At least one task waited."""
    full: Stall | None
    """No task could run: all that were not idle waited."""
    unread: tuple[str, ...] = ()


def parse(text: str) -> Pressure | Unknown:
    """Read one pressure file."""
    stalls: dict[str, Stall] = {}
    unread: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        share, *pairs = line.split()
        values = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        if share in ("some", "full") and values:
            stalls[share] = _stall(values)
        else:
            unread.append(line)
    if not stalls:
        return refusal(text, "no pressure stall lines")
    return Pressure(some=stalls.get("some"), full=stalls.get("full"), unread=unread_pieces(unread))


def _stall(values: dict[str, str]) -> Stall:
    return Stall(
        avg10_percent=real(values.get("avg10")),
        avg60_percent=real(values.get("avg60")),
        avg300_percent=real(values.get("avg300")),
        total_us=whole(values.get("total")),
    )
