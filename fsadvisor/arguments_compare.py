"""The grammar of `fsadvisor compare`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SAYS = (
    "Compare mounted paths, the devices below them and filesystems in images, by the same jobs in turn: what is best "
    "at what, and what can't be told apart. Says what it takes and asks before it starts."
)


def add(
    compare: argparse.ArgumentParser,
    suites: Sequence[str],
    seconds: Callable[[str], float],
    percent: Callable[[str], float],
) -> None:
    """Its arguments."""
    compare.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="folders of mounted filesystems; on the first one's the images are made",
    )
    compare.add_argument(
        "--images",
        metavar="NAME,…",
        help="the filesystems to make in images: all (as root the default), none, or some of those that --list names",
    )
    compare.add_argument("--jobs", metavar="JOB,…", help="the jobs to compare them by; fsadvisor probe --list has all")
    compare.add_argument("--suite", metavar="NAME", choices=suites, help=f"jobs for a purpose: {', '.join(suites)}")
    compare.add_argument("--no-devices", action="store_true", help="do not read the devices below")
    compare.add_argument("--list", action="store_true", help="list the filesystems that can be made, and the jobs")
    compare.add_argument(
        "--width",
        metavar="PERCENT",
        type=percent,
        default=5.0,
        help="end a job when half of the 95%% interval is as narrow as this share of the median on all (default: 5)",
    )
    compare.add_argument(
        "--seconds", metavar="N", type=seconds, help="so long for each job on each side, settled or not (default: 6)"
    )
    compare.add_argument(
        "--markdown", action="store_const", dest="form", const="markdown", default=argparse.SUPPRESS,
        help="print the comparison as Markdown",
    )  # fmt: skip
    compare.add_argument("--out", metavar="FILE.svg", type=Path, help="draw it into a new file, which loads nothing")
    compare.add_argument("--dry-run", action="store_true", help="only say what it takes and what speaks against it")
    compare.add_argument("--yes", action="store_true", help="start without asking")
    compare.add_argument(
        "--yes-in-data-directory", action="store_true", help="measure inside a database's own directory, too"
    )
