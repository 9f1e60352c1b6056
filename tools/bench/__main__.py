"""`make bench`: how fast fsadvisor is beside other programs and as machines grow; exits with 1 where too slow."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tools.bench import against
from tools.bench.beside import beside
from tools.bench.explorer import explorer
from tools.bench.growth import growth
from tools.bench.terminals import terminals
from tools.bench.wire import wire
from tools.compile_rules import compile_checkout

_PARTS = ("version", "tools", "lynis", "growth", "explorer", "wire", "terminals")


def main() -> int:
    """Measure what is asked for."""
    chosen = _arguments()
    compile_checkout()
    missed: list[str] = []
    print(f"python {sys.version.split()[0]}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="fsadvisor-bench-", dir=chosen.scratch) as scratch:
        if chosen.beside:
            missed += beside(chosen.beside, chosen.disks, chosen.rounds, Path(scratch))
        if "version" in chosen.parts:
            missed += against.version(chosen.rounds)
        if "tools" in chosen.parts:
            missed += against.tools(chosen.rounds)
        if "lynis" in chosen.parts:
            missed += against.lynis(chosen.lynis_rounds)
        if "growth" in chosen.parts:
            missed += growth(chosen.disks, Path(scratch))
        if "explorer" in chosen.parts:
            missed += explorer(chosen.disks, Path(scratch))
        if "wire" in chosen.parts:
            missed += wire(against.FSADVISOR)
        if "terminals" in chosen.parts:
            missed += terminals(chosen.disks, chosen.machines or Path(scratch))
    for limit in missed:
        print(f"bench: too slow: {limit}", file=sys.stderr)
    return 1 if missed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description="Measures fsadvisor; a few minutes on a quiet machine.")
    parser.add_argument("--parts", nargs="+", choices=_PARTS, help="default: all, or only --beside")
    parser.add_argument(
        "--disks", nargs="+", type=int, default=[10, 100, 1000, 5000], help="sizes of the machines, 2 or more"
    )
    parser.add_argument("--rounds", type=int, default=15, help="runs of each side, by turns")
    parser.add_argument("--lynis-rounds", type=int, default=2, help="lynis takes most of a minute each time")
    parser.add_argument("--scratch", type=Path, help="folder for the machines (5,000 disks take 2 GB)")
    parser.add_argument("--machines", type=Path, help="of terminals: folder with machines made before, N-disks each")
    parser.add_argument("--beside", metavar="COMMIT", help="start-up and growth in one table beside this commit's")
    chosen = parser.parse_args()
    chosen.parts = chosen.parts or (() if chosen.beside else _PARTS)
    return chosen


if __name__ == "__main__":
    sys.exit(main())
