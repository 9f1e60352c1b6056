"""Times processes, pairwise by turns, so that a machine that gets slower in the middle slows both sides."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", os.defpath), "HOME": "/"}
_DISCARD_ABOVE = 1
"""fsadvisor exits with 1 where it has findings; more is a failure, and its time means nothing."""

_ABOVE_OWN = 1.1


@dataclass(frozen=True, slots=True)
class Run:
    """How long one process took, how much of that it computed, and the most memory that it held."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


@dataclass(frozen=True, slots=True)
class Series:
    """The same thing several times."""

    runs: tuple[Run, ...]

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def cpu_seconds(self) -> float:
        """The median; other programs on the machine hardly change it."""
        return statistics.median(run.cpu_seconds for run in self.runs)

    @property
    def peak_mib(self) -> float:
        """The most of any run."""
        return max(run.peak_mib for run in self.runs)

    @property
    def shown_peak(self) -> str:
        """In nine characters; '-' where it may be the bench's own, from which the kernel counts what that starts."""
        own_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return f"{self.peak_mib:>5.0f} MiB" if self.peak_mib > _ABOVE_OWN * own_mib else f"{'-':>9}"

    def __str__(self) -> str:
        """Median and spread."""
        seconds = [run.seconds for run in self.runs]
        return f"{_shown(self.seconds)} ({_shown(min(seconds))} to {_shown(max(seconds))}, {len(seconds)} runs)"


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def run(argv: Sequence[str], *, any_status: bool = False) -> Run:
    """Run a command to its end; what it prints is thrown away."""
    started = time.perf_counter()
    child = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_ENVIRONMENT
    )
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if not any_status and child.returncode not in range(_DISCARD_ABOVE + 1):
        raise SystemExit(f"bench: {' '.join(argv)} exited with {child.returncode}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def by_turns(sides: Mapping[str, Callable[[], Run]], rounds: int) -> dict[str, Series]:
    """Each side once per round, in turn; one round before that warms the caches and does not count."""
    for side in sides.values():
        side()
    return cold_by_turns(sides, rounds)


def cold_by_turns(sides: Mapping[str, Callable[[], Run]], rounds: int) -> dict[str, Series]:
    """The same without the round that warms, for what takes long."""
    runs: dict[str, list[Run]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            runs[name].append(side())
    return {name: Series(tuple(done)) for name, done in runs.items()}
