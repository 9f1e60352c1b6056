"""`python -m tools.trials`: whether trials tell the truth and leave nothing, in guests of the lab.

`measure` boots a guest, and keeps its rows in fixtures/trials/rows.jsonl; what is there already is not measured again.
Where it is killed, its rows are on the guest's console, from which `keep` takes them. Guests may run side by side, each
with its own --data and --results.
`page` writes docs/trials-proof.md from them.
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.lab.error import LabError
from tools.paper.boot import kernel
from tools.trials import boot, page, rows
from tools.trials.bare import RUNS
from tools.trials.plan import GROUPS, KILLS, PLACES, TRIALS

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = ROOT / "fixtures" / "trials" / "rows.jsonl"


def measure(arguments: argparse.Namespace) -> int:
    """Boot, measure what is missing, and keep it, however the guest ends."""
    which = kernel(arguments.kernel)
    results: Path = arguments.results
    course = _course(arguments, rows.read(arguments.data))
    results.mkdir(parents=True, exist_ok=True)
    when = dt.datetime.now(tz=dt.UTC).date().isoformat()
    try:
        boot.run(course, which, results, arguments.seconds)
    finally:
        told = rows.read(results / "console.txt")
        ran = rows.Ran(kernel=which.release, when=when)
        rows.write(arguments.data, rows.joined([*rows.read(arguments.data), ran, *told]))
        print(f"trials: {len(told)} rows more: {arguments.data}", file=sys.stderr)
    return int((results / "status").read_text())


def _course(arguments: argparse.Namespace, there: Sequence[rows.Row]) -> boot.Course:
    """What of the parts is missing."""
    chosen, first = arguments.parts or [*GROUPS, *PLACES], arguments.first
    bare = Counter((row.group, row.noisy) for row in there if isinstance(row, rows.Bare))
    tried = {(row.group, row.number) for row in there if isinstance(row, rows.Trial) and row.gain}
    killed = {(row.place, row.number) for row in there if isinstance(row, rows.Kill)}
    return boot.Course(
        truths={
            it: [noise for noise in (False, True) if bare[it, noise] < RUNS and first == 1]
            for it in chosen
            if it in GROUPS and not GROUPS[it].nothing
        },
        trials={
            it: [at for at in range(first, arguments.trials + 1) if (it, at) not in tried]
            for it in chosen
            if it in GROUPS
        },
        kills={
            it: [at for at in range(first, arguments.kills + 1) if (it, at) not in killed]
            for it in chosen
            if it in PLACES
        },
    )


def keep(arguments: argparse.Namespace) -> int:
    """Take over the rows of other guests: of consoles, or of other files of rows."""
    told = [row for file in arguments.files for row in rows.read(file)]
    rows.write(arguments.data, rows.joined([*rows.read(arguments.data), *told]))
    return 0


def write_page(arguments: argparse.Namespace) -> int:
    """Write docs/trials-proof.md."""
    page.write(rows.read(arguments.data), ROOT / "docs")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m tools.trials", description=__doc__)
    top.add_argument("--data", type=Path, default=DATA, help="where the rows are (default: fixtures/trials/rows.jsonl)")
    verbs = top.add_subparsers(dest="verb", required=True)
    measuring = verbs.add_parser("measure", help="boot a guest and measure what is missing: hours on one processor")
    measuring.add_argument("--kernel", help="of this series, such as 6.12 (default: the distribution's)")
    measuring.add_argument("--seconds", type=int, default=14400, help="longest time for the guest (default: 14400)")
    measuring.add_argument("--trials", type=int, default=TRIALS, help=f"of each group (default: {TRIALS})")
    measuring.add_argument("--kills", type=int, default=KILLS, help=f"in each place (default: {KILLS})")
    measuring.add_argument(
        "--first", type=int, default=1, help="number to begin with, without the long runs: in a guest beside another"
    )
    measuring.add_argument("--results", type=Path, default=Path(tempfile.gettempdir()) / "fsadvisor-trials")
    measuring.add_argument(
        "parts", metavar="PART", nargs="*", help=f"of {', '.join((*GROUPS, *PLACES))} (default: all)"
    )
    measuring.set_defaults(do=measure)
    keeping = verbs.add_parser("keep", help="take over rows that another guest told, from its console or its file")
    keeping.add_argument("files", metavar="FILE", type=Path, nargs="+")
    keeping.set_defaults(do=keep)
    verbs.add_parser("page", help="write docs/trials-proof.md").set_defaults(do=write_page)
    arguments = top.parse_args(argv)
    try:
        return int(arguments.do(arguments))
    except LabError as error:
        print(f"trials: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
