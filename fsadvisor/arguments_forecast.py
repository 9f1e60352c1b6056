"""The grammar of `fsadvisor forecast`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

SAYS: Final = (
    "Say what a device of another latency would bring: from kept results of probes on TARGET, from a file (--fit), or "
    "from curves measured here (--sweep); and where that can't be trusted."
)


def add(forecast: argparse.ArgumentParser) -> None:
    """Its words and options."""
    forecast.add_argument("target", metavar="TARGET", nargs="?", help="a mount point or folder whose results are kept")
    forecast.add_argument(
        "--fit", metavar="FILE", type=Path, help="fit a CSV: filesystem,workload,latency_ms,throughput"
    )
    forecast.add_argument("--sweep", action="store_true", help="measure the curves, by dm-delay and null_blk")
    forecast.add_argument(
        "--on-scratch", metavar="DIR", type=Path, help="where the sweep's image lies, on a filesystem with room for it"
    )
    forecast.add_argument(
        "--filesystems",
        metavar="NAME,…",
        type=_names,
        help="default: ext4,xfs,btrfs,f2fs,nilfs2, those that can be made",
    )
    forecast.add_argument("--jobs", metavar="NAME,…", type=_names, help="default: web,file-server,mail")
    forecast.add_argument(
        "--delays", metavar="MS,…", type=_delays, help="default: 0 to 10 in steps of 1, and 0.1, 0.2, 0.5 by null_blk"
    )
    forecast.add_argument(
        "--passes", metavar="N", type=_passes, default=2, help="how often each latency is measured (default: 2)"
    )
    forecast.add_argument(
        "--window", metavar="SECONDS", type=_window, default=3.0, help="at the longest delay (default: 3)"
    )
    forecast.add_argument("--out", metavar="FILE.svg", type=Path, help="draw the curves into a file that is new")
    forecast.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    forecast.add_argument("--yes", action="store_true", help="start the sweep without asking")


def _names(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(filter(None, text.split(","))))
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} names nothing")
    return found


def _delays(text: str) -> tuple[float, ...]:
    try:
        found = tuple(sorted({float(word) for word in text.split(",")}))
    except ValueError:
        found = ()
    if len(found) < 2 or not all(0 <= ms <= 1000 for ms in found):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of two delays or more, of 0 to 1000 ms: such as 0,1,5,10"
        )
    return found


def _passes(text: str) -> int:
    if not (text.isdigit() and 1 <= int(text) <= 20):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 20")
    return int(text)


def _window(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= 600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0.1 to 600")
    return seconds
