"""Probes killed with SIGKILL at random moments: what is left of files, processes and settings, at once and later."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from fsadvisor.facts import Known
from fsadvisor.machine.live import LiveMachine
from fsadvisor.measure.probe.jobs import SUITES
from fsadvisor.measure.probe.scratch_record import PREFIX
from fsadvisor.measure.probe.surroundings import mount_of
from fsadvisor.measure.probe.target import probe_lock
from tools.probes.page import noted, table
from tools.probes.rows import Part, Row
from tools.probes.short import ROOT, command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.probes.places import Ground, Spot

HEADS: Final = (
    *("where", "kills", "while at work", "scratch trees at once", "other files at once", "processes after 2 s"),
    *("settings changed", "locks held", "files after the next start", "bytes not given back"),
)
_LONGEST_SECONDS: Final = 14.0
"""The jobs of the quick suite, a second each, with their files."""
_DEATH_SECONDS: Final = 2.0
_MOVING: Final = {"stat_refresh", "compact_memory", "drop_caches"}
"""Settings that are actions."""
_MIB: Final = 1 << 20


class _Left(Struct):
    """What was counted on one spot."""

    at_work: int = 0
    trees: int = 0
    files: int = 0
    processes: int = 0
    settings: set[str] = field(default_factory=set)
    locks: int = 0
    later: int = 0


def part(ground: Ground, times: int, seed: int) -> Part:
    """A row for each place."""
    return Part(
        id="kills",
        names=ground.names,
        plan={"kills": times, "seed": seed},
        measure=lambda name: Row(cells=_row(ground.spot(name), times, random.Random(seed))),
        text=lambda rows: _text(rows, seed),
    )


def _text(rows: Sequence[Row], seed: int) -> str:
    return (
        f"`fsadvisor probe` with the jobs of the quick suite in random order, killed after 0.2 to {_LONGEST_SECONDS:g}"
        f" s (seed {seed}). Scratch trees have a name and wait for the next start, which is `fsadvisor probe"
        " append-direct`; files without one are gone with their process.\n\n"
        + table(HEADS, [row.cells for row in rows])
    )


def _row(spot: Spot, times: int, moments: random.Random) -> tuple[str, ...]:
    before, free, settings = _names(spot.folder), _free(spot), _settings(spot)
    left = _Left()
    for at in range(times):
        noted(f"{spot.name}: kill {at + 1} of {times}")
        _kill(spot.folder, moments, left, before)
        left.settings |= {name for name, value in _settings(spot).items() if settings.get(name) != value}
        left.locks += _is_locked(spot.folder)
        _start(spot.folder)
        left.later += len(_names(spot.folder) - before)
    return (
        spot.name,
        *map(str, (times, left.at_work, left.trees, left.files, left.processes)),
        f"{len(left.settings)}" + (f": {', '.join(sorted(left.settings)[:3])}" if left.settings else ""),
        *map(str, (left.locks, left.later)),
        _lost(spot, free),
    )


def _kill(folder: Path, moments: random.Random, left: _Left, before: set[str]) -> None:
    """One kill, and a look at once."""
    jobs = list(SUITES["quick"])
    moments.shuffle(jobs)
    argv = [*command(*jobs, folder), "--seconds", "1"]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        time.sleep(moments.uniform(0.2, _LONGEST_SECONDS))
        left.at_work += child.poll() is None
        child.send_signal(signal.SIGKILL)
    new = _names(folder) - before
    left.trees += sum(name.startswith(PREFIX) for name in new)
    left.files += sum(not name.startswith(PREFIX) for name in new)
    end = time.monotonic() + _DEATH_SECONDS
    while (living := _of(child.pid)) and time.monotonic() < end:
        time.sleep(0.05)
    left.processes += len(living)


def _of(parent: int) -> list[int]:
    """Engines and workers of a probe: their command lines name the process that started them."""
    marks = (f"/proc/{parent}/".encode(), f'"parent": {parent}}}'.encode())
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) not in (parent, os.getpid()):
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if any(mark in line for mark in marks):
                found.append(int(folder.name))
    return found


def _start(folder: Path) -> None:
    """The next start, which takes away what was left."""
    argv = [*command("append-direct", folder), "--seconds", "0.5"]
    subprocess.run(argv, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)


def _names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def _free(spot: Spot) -> int:
    """Free bytes, once all that is freed is on the disk."""
    os.sync()
    room = os.statvfs(spot.folder)
    return room.f_bfree * room.f_frsize


def _lost(spot: Spot, before: int) -> str:
    """Told only of a filesystem that nobody else uses."""
    if not spot.device:
        return "others write here"
    lost = before - _free(spot)
    return "0" if lost < _MIB else f"{lost:,}"


def _settings(spot: Spot) -> dict[str, str]:
    """Sysctls of memory, mount options, and queues of all disks or of the spot's own."""
    queues = f"{spot.device}/queue/*" if spot.device else "[!lr]*/queue/*"  # no loop or ram disks of others
    files = [*Path("/proc/sys/vm").iterdir(), *Path("/sys/block").glob(queues)]
    found = {}
    for file in files:
        if file.is_file() and file.name not in _MOVING:
            try:
                found[str(file)] = file.read_text(encoding="utf-8")
            except OSError:
                continue
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    found["mount"] = "".join(line for line in lines if line.split()[4] == str(spot.folder))
    return found


def _is_locked(folder: Path) -> bool:
    with probe_lock(mount_of(str(folder), LiveMachine())) as taken:
        return isinstance(taken, Known) and taken.value == "you"
