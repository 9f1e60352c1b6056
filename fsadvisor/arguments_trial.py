"""The grammar of `fsadvisor trial`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

SAYS = (
    "Try a change before anyone dares it: two scratch filesystems side by side, as the machine's own is and with the "
    "change, a job on both in turn, and how much faster it is. Says what it takes and asks before it starts."
)


def add(trial: argparse.ArgumentParser, seconds: Callable[[str], float], percent: Callable[[str], float]) -> None:
    """Its arguments."""
    trial.add_argument(
        "words",
        metavar="RULE|OPTIONS",
        nargs="*",
        help="a rule's id, or mount options such as noatime, or 'mkfs:ARGUMENTS' such as 'mkfs:-O ^has_journal'",
    )
    trial.add_argument("-o", metavar="OPTIONS", dest="options", action="append", help="mount options, as of mount")
    where = trial.add_mutually_exclusive_group()
    where.add_argument(
        "--on-scratch", metavar="DIR", type=Path, help="make images on this folder's filesystem, without a name"
    )
    where.add_argument("--device", metavar="EMPTY", type=Path, help="use two halves of a device that is proven empty")
    trial.add_argument(
        "--yes-erase", metavar="NAME", help="with --device: its kernel name, such as sdb, instead of typing it"
    )
    trial.add_argument("--job", metavar="JOB", default="", help="what is measured (default: what the rule names)")
    trial.add_argument("--type", metavar="TYPE", default="", help="the filesystem (default: as that of DIR, or ext4)")
    trial.add_argument("--seconds", metavar="N", type=seconds, help="stop after so many seconds (default: 180)")
    trial.add_argument(
        "--matters",
        metavar="PERCENT",
        type=percent,
        default=5.0,
        help="the smallest difference that matters: stop when it is told, or excluded (default: 5)",
    )
    trial.add_argument("--dry-run", action="store_true", help="only say what it takes and what speaks against it")
    trial.add_argument("--no-keep", action="store_true", help="do not keep the result for the audit")
    trial.add_argument("--yes", action="store_true", help="start without asking")
    trial.add_argument(
        "--yes-in-data-directory", action="store_true", help="make the images inside a database's directory, too"
    )
