"""What a trial may write: the same figures for those who are asked before it starts, and for the measuring process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.probe import cost
from fsadvisor.trial.blocks import BLOCKS_A_TURN, WINDOW_SECONDS

if TYPE_CHECKING:
    from fsadvisor.probe.job import Job

_LEAST_BYTES: Final = 2 << 30
"""Of a side that writes: with less a fast drive comes to no interval."""


def set_up_bytes(job: Job, sessions: int) -> int:
    """Written for each turn, before its first window, by the jobs of so many sessions."""
    return sessions * cost.laid_out_bytes(job)


def most_bytes(job: Job, *, turns: int, sessions: int, seconds: float) -> int:
    """All that the jobs may write in that time; 0 where they write nothing."""
    own = cost.measured_bytes(job)
    cycle_seconds = turns * BLOCKS_A_TURN * 2 * sessions * WINDOW_SECONDS
    cycles = max(1, int(seconds / cycle_seconds))
    return cycles * turns * set_up_bytes(job, sessions) + (sessions * max(own, _LEAST_BYTES) if own else 0)
