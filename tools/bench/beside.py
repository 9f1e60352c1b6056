"""Start-up and growth of this tree beside those of a named commit, by turns, in one table of bare interpreters."""

from __future__ import annotations

import compileall
import contextlib
import runpy
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.bench.generated import write_machine_in_child
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
    print(f"{'':>12} {'bare':>8} {'here':>16} {commit[:10]:>16} {'of it':>6} {'peak':>9} {'then':>9}")
    asked: dict[str, tuple[list[str], int]] = {name: ([name], rounds) for name in ("--version", "--help", "--json")}
    missed = []
    for disks in sizes:
        asked[f"{disks} disks"] = (
            ["--on", str(scratch / f"beside-{disks}"), "--json"],
            max(2, rounds * 10 // max(disks, 10)),
        )
    for name, (argv, times) in asked.items():
        if name.endswith(" disks"):
            write_machine_in_child(Path(argv[1]), int(name.split()[0]))
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
    peaks = f"{here.shown_peak} {then.shown_peak}"
    print(f"{name:>12} {unit * 1000:>5.1f} ms {times} {ours / theirs:>6.2f} {peaks}", flush=True)
    return ours / unit


def _bare() -> Run:
    return run([sys.executable, "-I", "-c", "pass"])


def _of(tree: Path, argv: Sequence[str]) -> Callable[[], Run]:
    return lambda: run([sys.executable, "-I", "-c", _START, str(tree), *argv])


def _tree(commit: str, place: Path) -> Path:
    """The commit's files, compiled as its own set-up would."""
    argv = ["git", "-C", str(ROOT), "archive", commit]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as git:
        with contextlib.suppress(tarfile.ReadError), tarfile.open(fileobj=git.stdout, mode="r|") as archive:
            archive.extractall(place, filter="data")
        says = git.stderr.read() if git.stderr else b""
    if git.returncode != 0:
        raise SystemExit(f"bench: --beside: {says.decode().strip()}")
    compileall.compile_dir(place / "fsadvisor", quiet=2)
    with contextlib.suppress(FileNotFoundError):  # older than the compiled rules
        compiler = runpy.run_path(str(place / "tools" / "compile_rules.py"))
        compiler["compile_rules"](place / "rules")
        with contextlib.suppress(KeyError):  # older than the compiled tables
            compiler["compile_tables"](place / "fsadvisor")
    return place
