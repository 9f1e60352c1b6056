"""A short probe: the command as people type it, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from msgspec import Struct

from fsadvisor.measure.probe import EngineError

ROOT: Final = Path(__file__).parents[2]
_NOT_ALL_MEASURED: Final = 3


class Short(Struct, frozen=True, kw_only=True):
    """What one said; `seconds` are those of the whole command."""

    median: float
    low: float
    high: float
    seconds: float
    settled: bool
    engine: str

    def holds(self, truth: float) -> bool:
        """Whether its interval does."""
        return self.low <= truth <= self.high

    @property
    def half_width(self) -> float:
        """As a share of the median."""
        return (self.high - self.low) / 2 / self.median if self.median else 0.0


class NoFigureError(Exception):
    """A probe that came to none; its own words."""


def command(*words: object) -> list[str]:
    """The command line that starts a probe."""
    return [sys.executable, "-m", "fsadvisor", "probe", *map(str, words), "--yes", "--no-keep"]


def short(job: str, folder: Path, most_seconds: float) -> Short:
    """One run of a job, of so many seconds at most, with the usual width.

    Raises NoFigureError, and EngineError where it was refused: the next would be, too.
    """
    start = time.monotonic()
    done = subprocess.run(
        [*command(job, folder, "--seconds", f"{most_seconds:g}"), "--json"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    seconds = time.monotonic() - start
    if done.returncode not in (0, _NOT_ALL_MEASURED):
        raise EngineError(done.stderr.strip())
    (result,) = json.loads(done.stdout)["results"]
    figure = result["figure"]
    if figure is None:
        raise NoFigureError(f"{job} in {folder}: {result['error'] or result['voids']}")
    if result["small_file_bytes"] is not None:
        raise EngineError(f"{job} in {folder}: for want of room its file is smaller than that of fio alone")
    if not result["engine"].startswith("fio "):
        raise EngineError(f"{job} in {folder}: measured by {result['engine']}, not by fio")
    return Short(
        median=figure["median"],
        low=figure["low"],
        high=figure["high"],
        seconds=seconds,
        settled=result["end"] == "settled",
        engine=result["engine"],
    )
