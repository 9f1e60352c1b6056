"""The lab's command line: `run` (all or some scenarios), `cut` (a power cut), `shell`."""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from tools.lab import cut_table, failures, guest, kernels, power_cut, tables
from tools.lab.cut_disks import DISKS
from tools.lab.error import LabError
from tools.lab.page import see_to_page
from tools.lab.part import Part, parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.lab.kernels import Kernel

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / ".lab"
"""What a run leaves to look at: consoles, results, captures."""
PART_SECONDS = 3000
"""Longest time for one guest: twelve minutes where nothing else runs, and a machine may be busy or half as fast."""


def say(line: str) -> None:
    """Tell the person."""
    print(line, file=sys.stderr, flush=True)


def _chosen_kernels(series: str | None, *, every: bool = False) -> list[Kernel]:
    """Those of the distribution, and with `every` those of other releases; of one series, where that is named."""
    own = kernels.packages()
    found: list[tuple[str, tuple[str, ...]]] = [(package, ()) for package in own]
    if every:
        found += [kernels.elsewhere(release) for release in kernels.ELSEWHERE]
    wanted = [one for one in found if series in (None, _series(one[0]))]
    if not wanted:
        known = ", ".join(_series(package) for package, _ in found)
        more = "" if every else "; --kernels all knows more"
        raise LabError(f"--kernel {series}: the registry's kernels for the lab are {known}{more}")
    return [kernels.unpacked(package, is_stock=package == own[0], options=options) for package, options in wanted]


def _series(package: str) -> str:
    return ".".join(map(str, kernels.version(package)[:2]))


def _failed(part: Part, results: Path) -> bool:
    """Whether a guest left anything but the status of a run that passed."""
    try:
        return (results / part.name / "status").read_text().strip() not in part.fine
    except OSError:
        return True


def _say_why(part: Part, results: Path) -> None:
    """What pytest said of a part that failed: a log shows its end only, and a guest's files stay on its machine."""
    if _failed(part, results):
        say(f"lab: {part.name}: why it failed:")
        for line in failures.told(results / part.name):
            say(f"    {line}")


def _run_part(part: Part, results: Path) -> list[str]:
    """Boot a guest for a part; what went wrong, a line each."""
    start = time.monotonic()
    say(f"lab: {part.name}: {len(part.files)} files of scenarios")
    try:
        guest.run(
            part.kernel,
            guest.Work(part.name, part.script(), bare_metal=not part.is_virtual),
            results / part.name,
            PART_SECONDS,
        )
        wrong = [f"{part.name}: {results / part.name / 'pytest.txt'} tells all"] if _failed(part, results) else []
    except LabError as error:
        wrong = [str(error)]
    say(f"lab: {part.name}: {'failed' if wrong else 'done'} in {time.monotonic() - start:.0f} s")
    return wrong


def run(arguments: argparse.Namespace) -> int:
    """Run scenarios in guests, some at a time."""
    start = time.monotonic()
    there = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "tests" / "lab").glob("test_*.py"))
    if missing := [name for name in arguments.files if not (ROOT / name.partition("::")[0]).exists()]:
        near = difflib.get_close_matches(missing[0], there, n=1, cutoff=0.0)
        raise LabError(f"no such file: {' '.join(missing)}; the nearest is {near[0]}")
    results: Path = arguments.results
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    whole = not (arguments.files or arguments.narrow or arguments.kernel or arguments.kernels == "all")
    thorough = arguments.thorough or bool(arguments.files or arguments.narrow)
    planned = parts(
        _chosen_kernels(arguments.kernel, every=arguments.kernels == "all"),
        arguments.files,
        arguments.narrow,
        thorough=thorough,
    )
    # Guests wait for their disks at times: one more than there are processors keeps those busy.
    with ThreadPoolExecutor(max_workers=(os.cpu_count() or 1) + 1) as pool:
        cutting = [pool.submit(_cut, planned[0].kernel, (), results / "cut")] if whole else []
        running = [pool.submit(_run_part, part, results) for part in planned]
        try:
            wrong = [line for work in (*running, *cutting) for line in work.result()]
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            guest.stop_all()
            raise
    rows = tables.rows(results)
    print(tables.scenarios(rows))
    wrong += [f"{row['scenario']} failed on {row['kernel']}" for row in rows if not row["passed"]]
    if whole or arguments.accept:
        wrong += tables.see_to_machines(results, accept=arguments.accept, thorough=whole and thorough)
    if whole:
        wrong += see_to_page(rows, tables.read(results / "cut" / "cut.jsonl"), accept=arguments.accept)
    for part in planned:
        _say_why(part, results)
    for line in wrong:
        say(f"lab: {line}")
    took = time.monotonic() - start
    say(f"lab: {len(rows)} scenarios in {took:.0f} s, {len(wrong)} things wrong; consoles, recordings: {results}")
    return 1 if wrong else 0


def _cut(kernel: Kernel, names: Sequence[str], results: Path) -> list[str]:
    """Cut the power; what went wrong, a line each. Leaves RESULTS/cut.jsonl and prints the table."""
    start = time.monotonic()
    disks = [disk for disk in DISKS if not names or disk.name in names]
    say(f"lab: power cut on {kernel.series}: {len(disks)} disks")
    try:
        rows = power_cut.run(kernel, disks, results)
    except LabError as error:
        return [str(error)]
    print(cut_table.markdown(rows))
    wrong = cut_table.wrong(rows)
    say(f"lab: power cut: {'failed' if wrong else 'done'} in {time.monotonic() - start:.0f} s")
    return wrong


def cut(arguments: argparse.Namespace) -> int:
    """Cut the power of disks with a volatile cache, and count what is left."""
    unknown = set(arguments.names) - {disk.name for disk in DISKS}
    if unknown:
        raise LabError(f"no such disk: {' '.join(sorted(unknown))}; there are {' '.join(disk.name for disk in DISKS)}")
    wrong = _cut(_chosen_kernels(arguments.kernel)[0], arguments.names, arguments.results / "cut")
    for line in wrong:
        say(f"lab: {line}")
    return 1 if wrong else 0


def shell(arguments: argparse.Namespace) -> int:
    """A shell in a guest, on this terminal, with fsadvisor on the path."""
    script = (
        f"export PATH={ROOT}/.venv/bin:$PATH TERM={os.environ.get('TERM', 'linux')}\n"
        "mkdir -p /run/lab/results\n"
        "echo 'fsadvisor lab: `exit` ends the guest. Attach disks: python -m tests.lab.attach NAME…'\n"
        "setsid /bin/busybox cttyhack bash --norc -i\n"
    )
    kernel = _chosen_kernels(arguments.kernel)[0]
    with tempfile.TemporaryDirectory(prefix="fsadvisor-lab-shell-", dir="/var/tmp") as folder:
        argv = guest.command(kernel, guest.Work("shell", script), Path(folder))
        argv[argv.index("stdio")] = "mon:stdio"
        return subprocess.run(argv, check=False).returncode


def parser() -> argparse.ArgumentParser:
    """The grammar."""
    top = argparse.ArgumentParser(prog="python -m tools.lab", description=__doc__)
    top.add_argument("--kernel", help="only on this series, such as 6.1")
    verbs = top.add_subparsers(dest="verb", required=True)
    running = verbs.add_parser("run", help="run scenarios; all, where no file is named")
    running.add_argument("files", nargs="*", help="files of tests/lab")
    running.add_argument("-k", dest="narrow", default="", help="only scenarios with these words in their names")
    running.add_argument(
        "--kernels", choices=("two", "all"), default="two", help="all: those of Debian 11 and sid, too (default: two)"
    )
    running.add_argument("--kernel", default=argparse.SUPPRESS, help="only on this series, such as 5.10")
    running.add_argument("--results", type=Path, default=RESULTS, help="made anew (default: .lab)")
    running.add_argument("--thorough", action="store_true", help="all of them on all kernels; half an hour")
    running.add_argument("--accept", action="store_true", help="keep what was recorded as fixtures; review the diff")
    running.set_defaults(do=run)
    cutting = verbs.add_parser("cut", help="cut the power of disks with a volatile cache, and count what is left")
    cutting.add_argument("names", nargs="*", metavar="DISK", help="only these; all, where none is named")
    cutting.add_argument("--results", type=Path, default=RESULTS, help="where to write (default: .lab)")
    cutting.set_defaults(do=cut)
    verbs.add_parser("shell", help="a shell in a guest").set_defaults(do=shell)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the lab; 0 only where all of it passed."""
    # Told to end, it takes its guests along.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    arguments = parser().parse_args(argv)
    try:
        return int(arguments.do(arguments))
    except LabError as error:
        say(f"lab: {error}")
        return 1
    except KeyboardInterrupt:
        say("lab: stopped")
        return 130
