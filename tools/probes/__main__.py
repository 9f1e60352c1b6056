"""`make measure`: how good probes are here; hours for all of it, best on a quiet machine. Writes docs/probes.md."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Final

from fsadvisor.probe.cost import seconds_text
from tools.probes.against_long import against_long
from tools.probes.kills import kills
from tools.probes.noise import noise
from tools.probes.page import TITLES, noted, put
from tools.probes.places import FILESYSTEMS, spots
from tools.probes.ratio import ratio
from tools.probes.short import ROOT

JOBS: Final = (
    *(f"commit-{sync}{suffix}" for sync in ("fsync", "fdatasync", "dsync") for suffix in ("", "-append")),
    *(f"random-{operation}-{depth}" for operation in ("read", "write") for depth in (1, 32)),
    *("read-direct", "write-direct"),
)
"""Those that one fio can run for half a minute as it runs for half a second."""


def main() -> int:
    """Measure what is asked for; each part is in the page as soon as it is done."""
    chosen = _arguments()
    chosen.on.mkdir(parents=True, exist_ok=True)
    folder = chosen.on.resolve()
    for part in chosen.parts:
        start = time.monotonic()
        put(chosen.page, part, _measured(part, folder, chosen), str(folder))
        noted(f"{TITLES[part]}: {seconds_text(time.monotonic() - start)}; in {chosen.page}")
    return 0


def _measured(part: str, folder: Path, chosen: argparse.Namespace) -> str:
    if part == "long":
        return against_long(chosen.jobs, folder, chosen.shorts, chosen.longs, chosen.long_seconds)
    if part == "ratio":
        return ratio(chosen.jobs, folder, chosen.rounds, chosen.ratio_seconds)
    with spots(folder, chosen.filesystems) as places:
        return noise(places, chosen.repeats) if part == "noise" else kills(places, chosen.kills, chosen.seed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="measure", description=__doc__)
    parser.add_argument("--on", type=Path, default=Path("/var/tmp/fsadvisor-measure"), help="folder to measure in")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "probes.md", help="where the results go")
    parser.add_argument("--parts", nargs="+", choices=TITLES, default=tuple(TITLES), help="default: all")
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=JOBS, metavar="JOB", help="of long and ratio")
    parser.add_argument("--shorts", type=_number, default=30, help="short probes of each job")
    parser.add_argument("--longs", type=_number, default=5, help="long runs among them")
    parser.add_argument("--long-seconds", type=float, default=30.0)
    parser.add_argument("--repeats", type=_number, default=20, help="of each measurement of the noise table")
    parser.add_argument("--rounds", type=_number, default=8, help="ABBA rounds of each job")
    parser.add_argument("--ratio-seconds", type=float, default=5.0, help="of fio alone in a round")
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
