"""In the guest: does what it is asked, and prints a row for each thing that it found out.

argv: the Course as JSON.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tools.trials import bare, kills, rows
from tools.trials.boot import Course
from tools.trials.command import ran
from tools.trials.disk import kernel_name, planted
from tools.trials.plan import GROUPS, by_fio, costs_of, noisy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.trials.plan import Costs, Group

_MODULES: Final = ("loop", "dm-mod", "null_blk nr_devices=0", "ext4", "xfs", "btrfs")
_BARE_SECONDS: Final = 10.0
_FIO: Final = Path("/usr/bin/fio")
COMMAND: Final = (sys.executable, "-m", "fsadvisor", "trial")


def told(row: rows.Row) -> None:
    """On the console."""
    print(f"\n{rows.line(row)}", flush=True)


def noted(words: str) -> None:
    """On the console, too: how far it is."""
    print(f"trials: {time.monotonic():.0f} s: {words}", flush=True)


@contextlib.contextmanager
def _neighbour(number: int, device: str, costs: Costs) -> Iterator[None]:
    argv = (sys.executable, "-m", "tools.trials.neighbour", str(number), device, f"{costs.write_us}")
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            child.stdout.readline()
            yield
        finally:
            child.kill()


@contextlib.contextmanager
def _beside(number: int, device: str, costs: Costs, *, is_noisy: bool) -> Iterator[None]:
    with _neighbour(number, device, costs) if is_noisy else contextlib.nullcontext():
        yield


def _truth(group: Group, *, is_noisy: bool) -> None:
    """Long runs on a disk of the group's costs, with a neighbour or without."""
    noted(f"{group.id}: fio alone{', with a neighbour' if is_noisy else ''}")
    with planted(group.costs) as device, _beside(0, device, group.costs, is_noisy=is_noisy):
        for row in bare.runs(device, group.options, _BARE_SECONDS, group.id, noisy=is_noisy):
            told(row)


def _trial(group: Group, number: int) -> None:
    costs = costs_of(group, number)
    noted(f"{group.id}: trial {number}")
    _FIO.chmod(0o755 if by_fio(number) else 0)
    with planted(costs) as device, _beside(number, device, costs, is_noisy=noisy(number)):
        began = time.monotonic()
        where = ("--device", device, "--yes-erase", kernel_name(device))
        done = ran(["trial", group.options, *where, "--yes", "--json", "--seconds", f"{group.seconds:g}"])
        seconds = time.monotonic() - began
    document = msgspec.json.decode(done.out) if done.out else {}
    gain = document.get("gain")
    figures = {side: one["figure"] for side, one in document.get("sides", {}).items()}
    told(
        rows.Trial(
            group=group.id,
            number=number,
            noisy=noisy(number),
            write_us=costs.write_us,
            flush_us=costs.flush_us,
            status=done.status,
            gain=(gain["low"], gain["middle"], gain["high"]) if gain else None,
            kind=gain["kind"] if gain else "",
            says=gain["says"] if gain else "",
            end=document.get("end") or "",
            engine=document.get("engine") or "",
            blocks=document.get("blocks", 0),
            left_out=document.get("blocks_left_out", 0),
            figures_us={side: one["median"] for side, one in figures.items() if one},
            seconds=round(seconds, 1),
            error="" if gain else (document.get("error") or done.err[-500:]),
        )
    )


def _killed(place: str, numbers: list[int]) -> None:
    for row in kills.in_guest(place, numbers, COMMAND, noted):
        told(row)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """What goes wrong in one part is no reason to lose the others: a guest takes minutes to boot."""
    try:
        yield
    except Exception:  # noqa: BLE001 - told, and measured again by the next call
        traceback.print_exc()


def main(argv: list[str]) -> int:
    """Do it."""
    course = msgspec.json.decode(argv[0], type=Course)
    for module in _MODULES:
        subprocess.run(["modprobe", *module.split()], check=True)
    Path("/proc/sys/kernel/hung_task_timeout_secs").write_text("0")
    shutil.copy(_FIO, bare.FIO)
    _warm()
    for name, noises in course.truths.items():
        for is_noisy in noises:
            with _alone():
                _truth(GROUPS[name], is_noisy=is_noisy)
    for name, numbers in course.trials.items():
        for number in numbers:
            with _alone():
                _trial(GROUPS[name], number)
    _FIO.chmod(0)
    for place, numbers in course.kills.items():
        with _alone():
            _killed(place, numbers)
    noted("done")
    return 0


def _warm() -> None:
    """Have all programs read once: while the guest waits for this machine's files, its clock leaps."""
    noted("warming up")
    _FIO.chmod(0)
    with planted(GROUPS["large"].costs) as device:
        where = ("--device", device, "--yes-erase", kernel_name(device))
        done = ran(["trial", "nobarrier", *where, "--yes", "--seconds", "1"])
        noted(f"warm: status {done.status}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
