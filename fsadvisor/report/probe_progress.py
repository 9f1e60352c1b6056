"""How far a run of probes is: a bar on a terminal, a line for each job elsewhere. No escape codes, so no colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.pages.escape import clean, width
from fsadvisor.probe.cost import seconds_text
from fsadvisor.report.probe_words import amount, figure_text, sureness

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.probe.result import Figure, Result

_NARROW, _WIDE = 60, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Where a run is: the job's place, how much of its time is used (0 to 1), and what is left of the whole."""

    at: int
    jobs: int
    job: str
    used: float = 0.0
    seconds_left: float = 0.0
    headline: str = ""
    figure: Figure | None = None
    says: str = ""
    """In place of a figure: what it is at."""


def bar(step: Step, columns: int = 80) -> str:
    """One line that leaves the last column free."""
    share = (step.at - 1 + min(max(step.used, 0.0), 1.0)) / step.jobs
    room = 0 if columns < _NARROW else 12 if columns < _WIDE else 40
    cells = round(share * room)
    drawn = f"{'█' * cells}{'░' * (room - cells)}  " if room else ""
    left = f"≤ {seconds_text(step.seconds_left)} left"
    seen = f"{amount(step.headline, step.figure.median)} {sureness(step.figure)}" if step.figure else ""
    found = step.says or seen
    line = f"{drawn}{step.at}/{step.jobs} {step.job}  {left}"
    more = f"{line}  {found}".rstrip()
    return cut(more if width(more) < columns else line, columns - 1)


def cut(text: str, columns: int) -> str:
    """A text made fit for a terminal, as far as it has room."""
    shown = clean(text, None)
    while width(shown) > columns:
        shown = shown[:-1]
    return shown


def done(result: Result, at: int, jobs: int, name: str = "") -> str:
    """A line for a job that has ended; `name` says more than its id."""
    found = "no figure" if result.figure is None else f"{figure_text(result.headline, result.figure)} "
    sure = "" if result.figure is None else sureness(result.figure)
    why = f": {clean(result.error, None)}" if result.error else ""
    ended = f"{result.end} after {seconds_text(result.seconds)}{why}"
    return f"{at}/{jobs} {clean(name or result.job, None)}: {found}{sure}, {ended}\n"


class Narrator:
    """Writes to stderr. On a terminal the bar is drawn over itself and taken away at the end."""

    def __init__(self, write: Callable[[str], object], columns: Callable[[], int] | None) -> None:
        """`columns` tells the terminal's width; None where it is no terminal."""
        self._write, self._columns = write, columns
        self._drawn = 0

    def step(self, step: Step) -> None:
        """Draw the bar."""
        if self._columns is None:
            return
        line = bar(step, max(self._columns(), 2))
        self._write(f"\r{line}{' ' * max(0, self._drawn - width(line))}")
        self._drawn = width(line)

    def ended(self, result: Result, at: int, jobs: int, name: str = "") -> None:
        """Tell a job's end where there is no bar."""
        if self._columns is None:
            self._write(f"fsadvisor: {done(result, at, jobs, name)}")

    def clear(self) -> None:
        """Take the bar away."""
        if self._drawn:
            self._write(f"\r{' ' * self._drawn}\r")
            self._drawn = 0
