"""`make measure`: how good probes are here; hours for all of it, best on a quiet machine. Writes docs/probes.md.

Each row is kept and in the page as soon as it is measured; --resume goes on where a call ended.
"""

from __future__ import annotations

import argparse
import datetime as dt
import signal
import sys
import time
from pathlib import Path
from subprocess import SubprocessError
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.measure.probe import EngineError, scratch_record
from fsadvisor.measure.probe.cost import seconds_text
from tools.probes import against_long, kills, noise, ratio
from tools.probes.page import TITLES, conditions, noted, put
from tools.probes.places import FILESYSTEMS, Ground
from tools.probes.rows import Row, Rows
from tools.probes.short import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import FrameType

    from tools.probes.rows import Part

JOBS: Final = (
    *(f"commit-{sync}{suffix}" for sync in ("fsync", "fdatasync", "dsync") for suffix in ("", "-append")),
    *(f"random-{operation}-{depth}" for operation in ("read", "write") for depth in (1, 32)),
    *("read-direct", "write-direct"),
)
"""Those that one fio can run for half a minute as it runs for half a second."""


def main() -> int:
    """Measure what is asked for; each row is in the page as soon as it is done."""
    chosen = _arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _ended)
    chosen.on.mkdir(parents=True, exist_ok=True)
    folder = chosen.on.resolve()
    for said in scratch_record.clear(folder):
        noted(said)
    rows = Rows(chosen.rows, conditions(str(folder)), lambda: dt.datetime.now(tz=dt.UTC))
    minutes = Minutes(chosen.minutes, time.monotonic)
    with Ground(folder) as ground:
        for part in _parts(chosen, ground):
            wanted = [name for name in part.names if _is_asked(name, chosen)]
            there = () if chosen.resume else wanted
            filled(part, [name for name in wanted if name in (*there, *rows.missing(part))], rows, minutes, chosen.page)
            left = sum(name in wanted for name in rows.missing(part))
            noted(f"{TITLES[part.id]}: {left} of {len(wanted)} rows are still to be measured; in {chosen.page}")
    return 0


def filled(part: Part, wanted: Iterable[str], rows: Rows, minutes: Minutes, page: Path) -> None:
    """Measure rows one by one while there is time."""
    for name in wanted:
        if not minutes.may_begin(part.id):
            return
        one = rows.measure(part, name)
        noted(" | ".join(one.row.cells))
        minutes.ended(part.id)
        put(page, part.id, part.text([it.row for it in rows.of(part)]), rows.of(part))


class Minutes:
    """How long a call may take: no row is begun that would probably end later, by the longest of its part so far."""

    def __init__(self, most: float | None, clock: Callable[[], float]) -> None:
        self._most, self._clock = most, clock
        self._start = self._last = clock()
        self._longest: dict[str, float] = {}

    def may_begin(self, part: str) -> bool:
        """Whether there is time for another row."""
        self._last = self._clock()
        return self._most is None or self._last - self._start + self._longest.get(part, 0.0) <= self._most * 60

    def ended(self, part: str) -> None:
        """A row of the part has."""
        seconds = self._clock() - self._last
        self._longest[part] = max(seconds, self._longest.get(part, 0.0))
        noted(f"that took {seconds_text(seconds)}")


def _parts(chosen: argparse.Namespace, ground: Ground) -> list[Part]:
    """With a row for what failed instead of an end of it all."""
    plan = against_long.Plan(
        shorts=chosen.shorts,
        short_seconds=chosen.short_seconds,
        longs=chosen.longs,
        long_seconds=chosen.long_seconds,
    )
    made: Mapping[str, Callable[[], Part]] = {
        "long": lambda: against_long.part(JOBS, ground.folder, plan),
        "noise": lambda: noise.part(ground, chosen.repeats, chosen.short_seconds),
        "ratio": lambda: ratio.part(JOBS, ground.folder, chosen.rounds),
        "kills": lambda: kills.part(ground, chosen.kills, chosen.seed),
    }
    return [_guarded(made[part]()) for part in chosen.parts]


def _guarded(part: Part) -> Part:
    def measured(name: str) -> Row:
        try:
            return part.measure(name)
        except (EngineError, ValueError, OSError, SubprocessError) as error:
            return Row(cells=(name, f"failed: {error}"), failed=True)

    return replace(part, measure=measured)


def _is_asked(name: str, chosen: argparse.Namespace) -> bool:
    """A row is of a job, of a place, or of both."""
    words = name.split(", ")
    kinds = [word for word in words if word in FILESYSTEMS]
    jobs = [word for word in words if word in JOBS]
    return all(one in chosen.filesystems for one in kinds) and all(one in chosen.jobs for one in jobs)


def _ended(number: int, frame: FrameType | None) -> None:
    """Take away what was made, on the way out."""
    del frame
    raise SystemExit(128 + number)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="measure", description=__doc__)
    parser.add_argument("--on", type=Path, default=Path("/var/tmp/fsadvisor-measure"), help="folder to measure in")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "probes.md", help="where the results go")
    parser.add_argument("--rows", type=Path, default=ROOT / ".probes" / "rows.jsonl", help="where each row is kept")
    parser.add_argument("--resume", action="store_true", help="only rows that are not kept yet, of the same plan here")
    parser.add_argument("--minutes", type=float, help="begin no row that would probably end later")
    parser.add_argument("--parts", nargs="+", choices=TITLES, default=tuple(TITLES), help="default: all")
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=JOBS, metavar="JOB", help="of long, noise and ratio")
    parser.add_argument("--shorts", type=_number, default=30, help="short probes of each job")
    parser.add_argument(
        "--short-seconds", type=float, default=10.0, help="a short probe's at most (default: 10, as of the suite quick)"
    )
    parser.add_argument("--longs", type=_number, default=5, help="long runs among them")
    parser.add_argument("--long-seconds", type=float, default=30.0)
    parser.add_argument("--repeats", type=_number, default=20, help="of each measurement of the noise table")
    parser.add_argument("--rounds", type=_number, default=14, help="of windows and fio alone by turns")
    parser.add_argument("--kills", type=_number, default=50, help="on each filesystem")
    parser.add_argument("--seed", type=int, default=5, help="of the moments of kills")
    parser.add_argument(
        "--filesystems", nargs="*", choices=FILESYSTEMS, default=FILESYSTEMS, help="loop ones beside the folder (root)"
    )
    return parser.parse_args()


def _number(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: at least 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
