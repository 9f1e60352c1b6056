"""Start-up and growth of this tree beside those of a named commit, by turns, in one table of bare interpreters."""

from __future__ import annotations

import compileall
import contextlib
import io
import resource
import runpy
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.bench.generated import write_machine
from tools.bench.timing import Series, by_turns, run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tools.bench.timing import Run

ROOT: Final = Path(__file__).resolve().parents[2]
_START: Final = "import sys; sys.path.insert(0, sys.argv.pop(1)); from fsadvisor.__main__ import main; sys.exit(main())"
_LIMITS: Final = {"--version": 1.3, "--help": 1.3, "--json": 15.0, "1000 disks": 300.0}
"""Bare interpreters that each may take of the processor."""


def beside(commit: str, sizes: Sequence[int], rounds: int, scratch: Path) -> list[str]:
    """Print the table; returns the limits that this tree missed."""
    old = _tree(commit, scratch / "beside")
    print(f"processor time in bare interpreters (`python -I -c pass`), here and at {commit}, by turns:")
    print(f"{'':>12} {'bare':>8} {'here':>16} {commit[:10]:>16} {'of it':>6} {'peak':>8} {'then':>8}")
    asked: dict[str, tuple[list[str], int]] = {name: ([name], rounds) for name in ("--version", "--help", "--json")}
    missed = []
    for disks in sizes:
        asked[f"{disks} disks"] = (
            ["--on", str(scratch / f"beside-{disks}"), "--json"],
            max(2, rounds * 10 // max(disks, 10)),
        )
    for name, (argv, times) in asked.items():
        if name.endswith(" disks"):
            write_machine(Path(argv[1]), int(name.split()[0]))
        done = by_turns({"bare": _bare, "here": _of(ROOT, argv), "then": _of(old, argv)}, times)
        ratio = _row(name, done["bare"], done["here"], done["then"])
        if ratio > _LIMITS.get(name, ratio):
            missed.append(f"{name} takes {ratio:.1f} bare interpreters; limit {_LIMITS[name]:g}")
    print(f"  {'; '.join(missed) or 'all limits kept'}\n")
    return missed


def _row(name: str, bare: Series, here: Series, then: Series) -> float:
    unit = bare.cpu_seconds
    ours, theirs = here.cpu_seconds, then.cpu_seconds
    times = f"{ours:>8.3f} s {ours / unit:>5.1f} {theirs:>9.3f} s {theirs / unit:>5.1f}"
    peaks = f"{_peak(here)} {_peak(then)}"
    print(f"{name:>12} {unit * 1000:>5.1f} ms {times} {ours / theirs:>6.2f} {peaks}", flush=True)
    return ours / unit


def _peak(side: Series) -> str:
    """The kernel begins to count at what the bench itself held when it started the process."""
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{side.peak_mib:>4.0f} MiB" if side.peak_mib > 1.1 * ours else "       -"


def _bare() -> Run:
    return run([sys.executable, "-I", "-c", "pass"])


def _of(tree: Path, argv: Sequence[str]) -> Callable[[], Run]:
    return lambda: run([sys.executable, "-I", "-c", _START, str(tree), *argv])


def _tree(commit: str, place: Path) -> Path:
    """The commit's files, compiled as its own set-up would."""
    held = subprocess.run(["git", "-C", ROOT, "archive", commit], capture_output=True, check=False)
    if held.returncode != 0:
        raise SystemExit(f"bench: --beside: {held.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(held.stdout)) as archive:
        archive.extractall(place, filter="data")
    compileall.compile_dir(place / "fsadvisor", quiet=2)
    with contextlib.suppress(FileNotFoundError):  # older than the compiled rules
        compiler = runpy.run_path(str(place / "tools" / "compile_rules.py"))
        compiler["compile_rules"](place / "rules")
        with contextlib.suppress(KeyError):  # older than the compiled tables
            compiler["compile_tables"](place / "fsadvisor")
    return place
