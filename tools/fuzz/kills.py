"""Every command ended at a random moment, by a signal or with its terminal: nothing of it is left.

We adopt what a command's processes leave behind, so that every process of it that runs on is seen, whatever it is
called and in whichever session it is.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tools.fuzz import explorer
from tools.fuzz.mutations import MACHINES
from tools.fuzz.part import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_ROOT: Final = Path(__file__).parents[2]
_FSADVISOR: Final = (sys.executable, "-m", "fsadvisor")
_SUBREAPER: Final = 36
"""PR_SET_CHILD_SUBREAPER of linux/prctl.h."""
_LONGEST_SECONDS: Final = 12.0
_END_SECONDS: Final = 30.0
_DEATH_SECONDS: Final = 1.0
"""For each process that wants a processor: the kernel has to come to it."""
_IMAGE_BYTES: Final = 1 << 30
_SIGNALS: Final = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "text": ("--text",),
    "json": ("--json",),
    "html": ("--html",),
    "strict": ("--strict", "--all", "--full"),
    "recorded": ("--on", "{machine}", "--json"),
    "facts": ("facts", "--values"),
    "attest": ("attest",),
    "saying": (
        "attest",
        "--attestations",
        "{out}/a.toml",
        "host.backed_up",
        "host",
        "yes",
        "--because",
        "x",
        "--by",
        "x",
    ),
    "rule": ("rule", "try", "{rule}"),
    "plan": ("plan", "--on", "{planned}", "--out", "{out}/plan"),
    "capture": ("capture", "{out}/captured"),
    "drive": ("drive", "{drive}"),
    "waits": ("waits", "--seconds", "2", "--locks"),
    "probe": ("probe", "--yes", "--suite", "quick", "--seconds", "1", "--no-keep", "{place}"),
    "names": ("probe", "--yes", "mail", "--seconds", "2", "--no-keep", "{place}"),
    "trial": ("trial", "noatime", "--on-scratch", "{place}", "--type", "ext4", "--seconds", "2", "--no-keep", "--yes"),
    "compare": ("compare", "--yes", "--no-keep", "--images=ext4", "--seconds=1", "--out", "{out}/a.svg", "{place}"),
    "forecast": ("forecast", "--sweep", "--on-scratch", "{place}", "--seconds", "1", "--yes", "--out", "{out}/a.svg"),
}


@dataclass(frozen=True, slots=True)
class Kill:
    """A command, or a way through the explorer, and how it ends."""

    name: str
    after: float
    number: signal.Signals
    group: bool

    def __str__(self) -> str:
        """One line."""
        return f"{self.name}, {'all' if self.group else 'the first'} by {self.number.name} after {self.after:.2f} s"


def kills(random: Random) -> Iterator[list[Failure]]:
    """Commands and ways through the explorer in a random order, for ever; one that has ended before does not count."""
    with ground() as place:
        while True:
            for name in random.sample([*COMMANDS, *explorer.WAYS], len(COMMANDS) + len(explorer.WAYS)):
                longest = random.choice((1.0, 3.0, _LONGEST_SECONDS))
                kill = Kill(name, random.uniform(0, longest), random.choice(_SIGNALS), random.random() < 0.5)
                words = shlex.join(COMMANDS.get(name, ()))
                at_work, wrong = left(kill, place)
                if at_work or wrong:
                    yield [Failure(f"{kill}: {what}", f"{words}\n{kill!r}") for what in wrong]


@contextlib.contextmanager
def ground() -> Iterator[Path]:
    """A filesystem of our own, so that nobody else's probe is waited for; without root a directory."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    with TemporaryDirectory(prefix="fsadvisor-fuzz-", dir="/var/tmp") as top:
        place = Path(top) / "place"
        place.mkdir()
        if os.geteuid():
            yield place
            return
        image = Path(top) / "image"
        with image.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, _IMAGE_BYTES)
        subprocess.run(["mkfs.ext4", "-q", "-E", "nodiscard", image], check=True)
        subprocess.run(["mount", "-o", "loop", image, place], check=True)
        try:
            yield place
        finally:
            subprocess.run(["umount", "--lazy", place], check=True)


def left(kill: Kill, place: Path, patience: float = _DEATH_SECONDS) -> tuple[bool, list[str]]:
    """End it, and say whether it was at work, and what is left: at once, and after the next start."""
    before, names, loops = _children(), _names(place), _loops(place)
    with TemporaryDirectory(prefix="fsadvisor-fuzz-") as out:
        if kill.name in explorer.WAYS:
            at_work, wrong = explorer.ended(kill.name, _FSADVISOR, place, kill.after, kill.number)
        else:
            at_work, wrong = _commanded(kill, place, Path(out))
        if living := _outliving(before, patience):
            wrong.append(f"processes run on: {', '.join(living)}")
        wrong += _half_written(Path(out))
    if new := _names(place) - names:
        _next_start(place)
        if still := _names(place) - names:
            wrong.append(f"{', '.join(sorted(still))} left after the next start (of {len(new)})")
    end = time.monotonic() + 10
    while (more := _loops(place) - loops) and time.monotonic() < end:
        time.sleep(0.1)
    return at_work, [*wrong, *(f"left: {it}" for it in sorted(more))]


def _commanded(kill: Kill, place: Path, out: Path) -> tuple[bool, list[str]]:
    argv = [*_FSADVISOR, *(word.format(**_places(), place=place, out=out) for word in COMMANDS[kill.name])]
    with subprocess.Popen(
        argv,
        cwd=_ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(kill.after)
        at_work = child.poll() is None
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if kill.group else os.kill)(child.pid, kill.number)
        try:
            _, said = child.communicate(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            return at_work, [f"it runs on for {_END_SECONDS:g} s"]
    words = said.decode("utf-8", "replace")
    if "Traceback" in words or "a bug of ours" in words:
        return at_work, [f"it says {words.strip()[-300:]!r}"]
    return at_work, []


def _next_start(place: Path) -> None:
    argv = [*_FSADVISOR, "probe", "--yes", "--no-keep", "append-direct", "--seconds", "0.5", str(place)]
    subprocess.run(argv, cwd=_ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)


def _names(place: Path) -> set[str]:
    return {it.name for it in place.iterdir()}


def _children() -> set[int]:
    """Of all our threads; those that ended are let go."""
    tasks = Path("/proc/self/task").glob("*/children")
    found = {int(it) for task in tasks for it in task.read_text().split()}
    for one in tuple(found):
        if Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            with contextlib.suppress(ChildProcessError):
                os.waitpid(one, os.WNOHANG)
            found.discard(one)
    return found


def _outliving(before: set[int], patience: float) -> list[str]:
    """The command lines of what runs on for more than its time; they are ended."""
    share = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    end = time.monotonic() + patience * share
    while (living := _children() - before) and time.monotonic() < end:
        time.sleep(0.02)
    found = []
    for one in living:
        with contextlib.suppress(OSError):
            found.append(Path(f"/proc/{one}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:100])
            os.kill(one, signal.SIGKILL)
    return found


def _loops(place: Path) -> set[str]:
    """Loop devices over files of the place, and mounts below it."""
    found = set()
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):
            if f"{place}/" in (file := backing.read_text().strip()):
                found.add(file)
    mounts = Path("/proc/self/mountinfo").read_text(errors="replace").splitlines()
    return found | {at for it in mounts if (at := it.split()[4]).startswith(f"{place}/")}


def _half_written(out: Path) -> list[str]:
    """What a person would take for whole, and is not."""
    wrong = []
    if (out / "captured/machine.toml").exists():
        argv = [*_FSADVISOR, "--on", str(out / "captured"), "--json"]
        done = subprocess.run(argv, cwd=_ROOT, capture_output=True, check=False)
        try:
            json.loads(done.stdout)
        except ValueError:
            wrong.append(f"a recording that can't be read: {done.stderr[-200:]!r}")
    if (plan := out / "plan/plan.sh").exists():
        wrong += [f"plan.sh without {it}" for it in ("undo.sh", "README.txt") if not (plan.parent / it).exists()]
        if subprocess.run(["sh", "-n", plan], capture_output=True, check=False).returncode:
            wrong.append("half a plan.sh")
    if (picture := out / "a.svg").exists() and not picture.read_text().rstrip().endswith("</svg>"):
        wrong.append("half a picture")
    if (said := out / "a.toml").exists() and "host.backed_up" not in said.read_text():
        wrong.append("half an attest.toml")
    return wrong


@cache
def _places() -> dict[str, Path]:
    return {
        "machine": MACHINES[0],
        "planned": next(it for it in MACHINES if it.name == "pm9a3-postgresql-volatile"),
        "rule": next(iter(sorted((_ROOT / "rules/disk").glob("*.toml")))),
        "drive": next(it for it in sorted((_ROOT / "fixtures").rglob("*id-ctrl*")) if it.suffix == ".out"),
    }
