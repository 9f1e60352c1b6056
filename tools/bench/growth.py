"""How time and memory grow with the disks of a recorded machine."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, Final

from tools.bench.against import FSADVISOR
from tools.bench.generated import write_machine_in_child
from tools.bench.timing import Run, Series, by_turns, run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_FLAT_WITHIN: Final = 1.25
_TIMED_DISKS: Final = 1000
_TIME_LIMIT_S: Final = 5.0
_PEAK_LIMIT_MIB: Final = 300.0
_RUNS: Final = 5
_FEWEST_RUNS: Final = 2
_MANY_DISKS: Final = 2000


def growth(sizes: Sequence[int], scratch: Path) -> list[str]:
    """The table; returns the limits that were missed."""
    single = scratch / "single"
    write_machine_in_child(single, 1)
    missed: list[str] = []
    per_disk: list[float] = []
    print("`fsadvisor --on DIR --json` on generated machines, four partitions and mounts to a disk:")
    print(f"{'disks':>7} {'time':>36} {'of it CPU':>9} {'one disk':>9} {'per disk':>9} {'peak':>8}   (to write it)")
    for disks in sizes:
        whole, start, writing_s = _measured(disks, single, scratch)
        cost_s = (whole.cpu_seconds - start.cpu_seconds) / (disks - 1)
        per_disk.append(cost_s)
        cpu = f"{whole.cpu_seconds:>7.2f} s {start.cpu_seconds:>7.2f} s {cost_s * 1000:>6.2f} ms"
        print(f"{disks:>7} {whole!s:>36} {cpu} {whole.shown_peak}   ({writing_s:.1f} s)", flush=True)
        if disks == _TIMED_DISKS and whole.seconds >= _TIME_LIMIT_S:
            missed.append(f"{disks} disks take {whole.seconds:.1f} s; limit {_TIME_LIMIT_S} s")
        if whole.peak_mib >= _PEAK_LIMIT_MIB:
            missed.append(f"{disks} disks take {whole.peak_mib:.0f} MiB; limit {_PEAK_LIMIT_MIB:.0f} MiB")
    spread = max(per_disk) / min(per_disk)
    if spread > _FLAT_WITHIN:
        missed.append(f"the time per disk differs by {spread:.2f} times; limit {_FLAT_WITHIN}")
    print(f"  the dearest disk costs {spread:.2f} times the CPU time of the cheapest; limit {_FLAT_WITHIN}")
    print(f"  {'; '.join(missed) or 'all limits kept'}\n")
    return missed


def _measured(disks: int, single: Path, scratch: Path) -> tuple[Series, Series, float]:
    """The machine and, by turns, one with a single disk: the difference is the cost of the further disks."""
    folder = scratch / str(disks)
    started = time.perf_counter()
    write_machine_in_child(folder, disks)
    writing_s = time.perf_counter() - started

    def report(machine: Path) -> Run:
        return run([FSADVISOR, "--on", str(machine), "--json"])

    rounds = _FEWEST_RUNS if disks >= _MANY_DISKS else _RUNS if disks >= _TIMED_DISKS else 4 * _RUNS
    done = by_turns({"whole": lambda: report(folder), "start": lambda: report(single)}, rounds)
    shutil.rmtree(folder)
    return done["whole"], done["start"], writing_s
