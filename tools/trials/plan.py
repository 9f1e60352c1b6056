"""What is planted, and how often."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

TRIALS: Final = 20
KILLS: Final = 20
_SPREAD: Final = 0.25
"""The costs of a quiet trial are drawn by lot, up to so far from those of its group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a disk takes, in µs: for a write or read of a block, and for a flush of its cache."""

    write_us: float
    flush_us: float

    def drawn(self, lots: random.Random) -> Costs:
        """The like of it, each cost by a lot of its own."""
        return Costs(write_us=_near(self.write_us, lots), flush_us=_near(self.flush_us, lots))


def _near(microseconds: float, lots: random.Random) -> float:
    return round(microseconds * lots.uniform(1 - _SPREAD, 1 + _SPREAD), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Trials of one change on disks of about the same costs."""

    id: str
    title: str
    options: str
    """What the trial is asked to try."""
    costs: Costs
    nothing: bool = False
    """Whether the change is none, so that the truth is 1."""
    seconds: float = 40.0
    """The trial's --seconds."""


GROUPS: Final = {
    group.id: group
    for group in (
        Group(
            id="large",
            title="nobarrier against barrier, a flush of ten writes",
            options="nobarrier",
            costs=Costs(write_us=200, flush_us=2000),
        ),
        Group(
            id="small",
            title="nobarrier against barrier, a flush of a tenth of a write",
            options="nobarrier",
            costs=Costs(write_us=2000, flush_us=200),
        ),
        Group(
            id="nothing",
            title="barrier against barrier, which is on by default",
            options="barrier",
            costs=Costs(write_us=200, flush_us=2000),
            nothing=True,
        ),
    )
}


def noisy(number: int) -> bool:
    """Whether a neighbour is at work during a trial: every second one, counted from 1."""
    return number % 2 == 0


def by_fio(number: int) -> bool:
    """Whether fio is installed during a trial: it takes most of a trial's time here, so for every fifth one."""
    return number % 5 == 0


def costs_of(group: Group, number: int) -> Costs:
    """Of a quiet trial drawn by lot; of one with a neighbour those of the group, for which long runs tell the truth."""
    return group.costs if noisy(number) else group.costs.drawn(random.Random(f"{group.id} {number}"))


PLACES: Final = ("ext4", "xfs", "btrfs", "device")
"""Where the command is killed: over a folder of these filesystems, and over a device."""
