"""`python -m tools.paper`: seed 001's measurements again in guests of the lab, and docs/latency.md from them.

`measure` boots a guest for each group of filesystems, side by side, and writes their points to
fixtures/latency/sweep.csv; `page` writes docs/latency.md and its pictures from that file.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from fsadvisor.measure import messages
from fsadvisor.measure.messages import Finished, LeftOut, Point
from tools.lab import guest
from tools.lab.error import LabError
from tools.paper import boot, page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tools.lab.kernels import Kernel

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "fixtures" / "latency"
DELAYS_MS = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
GROUPS = (("ext4", "xfs"), ("btrfs",), ("f2fs", "nilfs2"))
WORKLOADS = ("web", "mail", "file-server")
COLUMNS = (
    *("filesystem", "workload", "latency_ms", "device_ms", "throughput"),
    *("run", "operations", "requests", "seconds", "cpu_share"),
)


def measure(arguments: argparse.Namespace) -> int:
    """Boot, measure, and write the points."""
    start = time.monotonic()
    kernel = boot.kernel(arguments.kernel)
    groups = [tuple(group.split(",")) for group in arguments.groups] or GROUPS
    workloads = tuple(arguments.workloads.split(","))
    courses = [
        boot.Course(
            filesystems=group,
            workloads=workloads,
            delays_ms=DELAYS_MS,
            seconds=arguments.window,
            passes=arguments.passes,
        )
        for group in groups
    ]
    arguments.results.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=len(courses)) as pool:
        running = [
            pool.submit(_one, course, kernel, arguments.results / f"guest-{number}", arguments.seconds)
            for number, course in enumerate(courses, 1)
        ]
        try:
            wrong = [line for work in running for line in work.result()]
        except KeyboardInterrupt:
            guest.stop_all()
            raise
    told = [messages.event(line) for file in sorted(arguments.results.glob("guest-*/points")) for line in _lines(file)]
    wrong += [f"{it.side} {it.job}: {it.why}" for it in told if isinstance(it, LeftOut)]
    wrong += [it.error for it in told if isinstance(it, Finished) and it.error]
    points = [it for it in told if isinstance(it, Point)]
    _write(arguments.data / "sweep.csv", points)
    run = page.Run(
        kernel=kernel.release,
        instructions_per_s=courses[0].instructions_per_s,
        stretch=courses[0].stretch,
        threads=courses[0].threads,
        files=courses[0].files,
        passes=courses[0].passes,
        window_s=courses[0].seconds,
        wrong=tuple(wrong),
    )
    page.keep(run, arguments.data / "run.json")
    for line in wrong:
        print(f"paper: {line}", file=sys.stderr)
    print(f"paper: {len(points)} points in {time.monotonic() - start:.0f} s: {arguments.data}", file=sys.stderr)
    return 1 if wrong else 0


def _one(course: boot.Course, kernel: Kernel, results: Path, seconds: int) -> list[str]:
    """One guest; what went wrong. What it told before it was stopped is kept, too: it is on its console."""
    wrong = []
    try:
        boot.run(course, kernel, results, seconds)
    except LabError as error:
        wrong.append(str(error))
    console = (results / "console.txt").read_text("utf-8", "replace").replace("\r", "").split("\n")
    (results / "points").write_text("".join(f"{line}\n" for line in console if line.startswith('{"type":')))
    return wrong


def _lines(file: Path) -> Iterable[bytes]:
    return [line for line in file.read_bytes().split(b"\n") if line.endswith(b"}")]


def _write(file: Path, points: Sequence[Point]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(COLUMNS)
        for it in points:
            device = it.asked_ms if it.device_ms is None else it.device_ms
            writer.writerow(
                (
                    *(it.filesystem, it.workload, f"{it.asked_ms:g}", f"{device:.5g}", f"{it.throughput:.6g}"),
                    *(it.run, it.operations, it.requests, f"{it.seconds:.4g}", f"{it.cpu_share:.3g}"),
                )
            )


def write_page(arguments: argparse.Namespace) -> int:
    """Write docs/latency.md and its pictures from what was measured."""
    page.write(arguments.data, ROOT / "docs")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m tools.paper", description=__doc__)
    top.add_argument("--data", type=Path, default=DATA, help="where the points are (default: fixtures/latency)")
    verbs = top.add_subparsers(dest="verb", required=True)
    measuring = verbs.add_parser("measure", help="boot guests and measure: about half an hour on two processors")
    measuring.add_argument("--kernel", help="of this series, such as 6.12 (default: the distribution's)")
    measuring.add_argument("--seconds", type=int, default=2400, help="longest time for a guest (default: 2400)")
    measuring.add_argument("--window", type=float, default=1.0, help="seconds of a window at the longest delay")
    measuring.add_argument("--passes", type=int, default=2, help="windows at each delay (default: 2)")
    measuring.add_argument("--workloads", default=",".join(WORKLOADS))
    measuring.add_argument("--results", type=Path, default=Path(tempfile.gettempdir()) / "fsadvisor-paper")
    measuring.add_argument("groups", metavar="NAME,…", nargs="*", help="filesystems, a guest for each group")
    measuring.set_defaults(do=measure)
    verbs.add_parser("page", help="write docs/latency.md").set_defaults(do=write_page)
    arguments = top.parse_args(argv)
    try:
        return int(arguments.do(arguments))
    except LabError as error:
        print(f"paper: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
