"""In the guest: the command killed at random moments, and what is left of it at once and after the next start.

What counts as left: processes of it, loop devices, mounts in any namespace, devices of device mapper, names in the
folder, and free space that does not come back. The kernel is given a moment to let go.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.trials.disk import null_blk, run
from tools.trials.rows import Kill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_DISK_MIB: Final = 64 << 10
"""So large that the guard lets a trial write on it; only what is written takes memory."""
_MADE: Final = {
    "ext4": ("-q", "-F", "-T", "largefile4", "-J", "size=64", "-E", "nodiscard"),
    "xfs": ("-q", "-f", "-K"),
    "btrfs": ("-q", "-f", "-K"),
}
_SECONDS: Final = "2"
"""The trial's --seconds: each image stands for each side at least, and no longer."""
_ENDED_WELL: Final = (0, 3)
"""Told, and not told."""
_LETTING_GO_S: Final = 10.0
_MIB: Final = 1 << 20
_LEAST_LOST: Final = 4 * _MIB
"""Of free space: what journals and logs of a filesystem that has just been written to may take."""


def in_guest(
    place: str, numbers: Sequence[int], command: Sequence[str], noted: Callable[[str], None]
) -> Iterator[Kill]:
    """A row for each kill in a place of plan.PLACES, on a disk of memory."""
    with null_blk("place", size=_DISK_MIB, irqmode=0) as disk:
        yield from rows_of(place, (disk, Path("/srv/place")), numbers, command, noted)


def rows_of(
    place: str, ground: tuple[str, Path], numbers: Sequence[int], command: Sequence[str], noted: Callable[[str], None]
) -> Iterator[Kill]:
    """A row for each kill over a disk, which is overwritten, and mounted on a folder unless the place is a device."""
    disk, folder = ground
    if not numbers:
        return
    with ExitStack() as stack:
        if place != "device":
            run(f"mkfs.{place}", *_MADE[place], disk)
            folder.mkdir(parents=True, exist_ok=True)
            run("mount", "-n", disk, str(folder))
            stack.callback(run, "umount", str(folder))
        victim = _Victim(place, disk, folder, command)
        life = victim.life()
        noted(f"{place}: nobody kills it: {life:.1f} s")
        for number in numbers:
            yield victim.killed(number, life, noted)


class _Victim:
    """The command over one place."""

    def __init__(self, place: str, disk: str, folder: Path, command: Sequence[str]) -> None:
        self._place, self._disk, self._folder = place, disk, folder
        where = (
            ("--device", disk, "--yes-erase", Path(disk).name) if place == "device" else ("--on-scratch", str(folder))
        )
        self._argv = (*command, "noatime", *where, "--yes", "--no-keep", "--seconds", _SECONDS)
        self._before = self._seen()
        self._free = self._room()

    def life(self) -> float:
        """How long it lasts when nobody kills it, the second time: all programs have been read. In seconds."""
        for _ in range(2):
            began = time.monotonic()
            done = subprocess.run(self._argv, capture_output=True, text=True, check=False)
            took = time.monotonic() - began
            if done.returncode not in _ENDED_WELL:
                raise RuntimeError(f"{self._place}: status {done.returncode}: {done.stderr[-500:]}")
        return took

    def killed(self, number: int, life: float, noted: Callable[[str], None]) -> Kill:
        """Kill it after a time drawn by lot, look, start it once more, look again."""
        after = random.Random(f"{self._place} {number}").uniform(0.0, life)
        leader = number % 2 == 0
        noted(f"{self._place}: kill {number} after {after:.1f} s")
        with subprocess.Popen(self._argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            time.sleep(after)
            tree = _tree(child.pid)
            at = _doing(tree) if child.poll() is None else "ended"
            for one in tree[:1] if leader else tree:
                _kill(one)
        at_once = self._left()
        started, later = self._started(at_once)
        return Kill(
            place=self._place,
            number=number,
            leader=leader,
            after_s=round(after, 2),
            life_s=round(life, 2),
            at=at,
            at_once=at_once,
            later=later,
            started=started,
            lost_bytes=self._lost(),
        )

    def _started(self, at_once: dict[str, list[str]]) -> tuple[str, dict[str, list[str]]]:
        """The next start, where there is something that it could clear."""
        if self._place == "device":
            found = subprocess.run(
                ["wipefs", "-n", "--noheadings", self._disk], capture_output=True, text=True, check=True
            )
            begun = bool(found.stdout.strip()) or self._written()
            done = subprocess.run([*self._argv, "--dry-run"], capture_output=True, text=True, check=False)
            said = done.stderr.strip().splitlines()[-1:] or ["it would start"]
            with Path(self._disk).open("r+b", buffering=0) as disk:
                disk.write(bytes(_MIB))
            return f"{'written to' if begun else 'empty'}; status {done.returncode}: {said[0]}", self._left()
        if not any(at_once.values()):
            return "nothing to clear", at_once
        with subprocess.Popen(self._argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            while child.poll() is None and set(at_once["files"]) & self._names():
                time.sleep(0.1)
            if child.poll() is None:
                child.send_signal(signal.SIGINT)
            status = child.wait()
        return f"stopped by SIGINT once it had cleared, status {status}", self._left()

    def _written(self) -> bool:
        with Path(self._disk).open("rb", buffering=0) as disk:
            return any(disk.read(_MIB))

    def _left(self) -> dict[str, list[str]]:
        """What is there and was not before, once the kernel has let go of what it lets go by itself."""
        end = time.monotonic() + _LETTING_GO_S
        while True:
            seen = self._seen()
            found = {kind: sorted(seen[kind] - self._before[kind]) for kind in seen}
            if time.monotonic() > end or not any(one for kind, one in found.items() if kind != "files"):
                return found
            time.sleep(0.25)

    def _room(self) -> int:
        """Free bytes, once all that is freed is on the disk."""
        if self._place == "device":
            return 0
        os.sync()
        room = os.statvfs(self._folder)
        return room.f_bfree * room.f_frsize

    def _lost(self) -> int:
        end = time.monotonic() + _LETTING_GO_S
        while (lost := self._free - self._room()) > _LEAST_LOST and time.monotonic() < end:
            time.sleep(0.5)
        return max(0, lost)

    def _seen(self) -> dict[str, set[str]]:
        """All that could be left, by kind."""
        return {
            "processes": _processes(),
            "loops": {line for line in _lines("losetup", "-a") if f"({self._ground()}" in line},
            "mounts": _mounts(),
            "dm": set(_lines("dmsetup", "ls")) if Path("/sys/class/misc/device-mapper").exists() else set(),
            "files": self._names(),
        }

    def _ground(self) -> str:
        """What a loop device's file begins with."""
        return self._disk if self._place == "device" else f"{self._folder}/"

    def _names(self) -> set[str]:
        return {path.name for path in self._folder.iterdir()} if self._place != "device" else set()


def _lines(*argv: str) -> list[str]:
    return run(*argv).splitlines()


def _kill(number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


def _processes() -> set[str]:
    """The command lines of all that runs but this; the kernel's own have none, nor has what waits for its parent."""
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            with suppress(OSError):
                found.add((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip())
    return found - {""}


def _mounts() -> set[str]:
    """Mount points with their sources, of every mount namespace that some process is in."""
    found: set[str] = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            lines = (process / "mountinfo").read_text(errors="replace").splitlines()
        except OSError:
            continue
        found |= {f"{line.split()[4]} of {line.split()[-2]}" for line in lines}
    return found


def _tree(root: int) -> list[int]:
    """A process and all below it, by /proc, parents first."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int(
                    (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1]
                )
            except (OSError, ValueError, IndexError):
                continue
    found = [root]
    for one in found:
        found += [number for number, parent in parents.items() if parent == one]
    return found


def _doing(tree: Sequence[int]) -> str:
    """The names of its processes but for the first, which is the command itself."""
    names = []
    for number in tree[1:]:
        try:
            names.append(Path(f"/proc/{number}/comm").read_text().strip())
        except OSError:
            continue
    return " ".join(names) or "looking around"
