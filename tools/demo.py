"""`python -m tools.demo`: records what `fsadvisor --demo` plays, into fixtures/demo (root, two minutes).

Everything runs on loop devices, in a mount namespace of its own. What is recorded gets the names of the demo's machine,
as fixtures/demo/README.md says. `python -m tools.demo results` composes what its probes told, `flushes` what its drives
count of flushes, as those probes have it.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from fsadvisor.machine.kept_files import COMPARED
from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.pulse import pulse
from fsadvisor.measure.now.observe import observe
from fsadvisor.measure.probe import store
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.result import Figure, Result
from fsadvisor.survey.measured import conditions_of
from fsadvisor.survey.tried import job_of
from fsadvisor.survey.whole import survey
from fsadvisor.tui.sampling import LiveSampler, RecordedSample, recorded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parents[1]
OUT: Final = ROOT / "fixtures" / "demo"
MACHINE: Final = ROOT / "fixtures" / "machines" / "old-storage-server"
_GIB: Final = 1 << 30
_PLACES: Final = {
    "/": ("root", "ext4", ("sda",)),
    "/srv/cached": ("cached", "ext4", ("bcache0", "sdf")),
    "/srv/images": ("images", "xfs", ("sdc",)),
}
_BEATS: Final = 110
_COPIES_S: Final = (50, 85)
"""In which seconds a backup runs: while there is a file of that name."""

_GO: Final = "go"

_WEEKS: Final = ("2026-10-23", "2026-10-30", "2026-11-06", "2026-11-13", "2026-11-20")
_TRIED: Final = "timestamps-written-at-once"


def main() -> int:
    """In the namespace if we are not there yet."""
    if sys.argv[1:] == ["results"]:
        (OUT / "probes.jsonl").write_bytes(b"".join(store.line(one) + b"\n" for one in _results()))
        return 0
    if sys.argv[1:] == ["flushes"]:
        beats = [replace(one, diskstats=_flushed(one.diskstats)) for one in recorded(OUT / "live.jsonl")]
        (OUT / "live.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(beats))
        return 0
    if sys.argv[1:] != ["inside"]:
        command = ["unshare", "--mount", sys.executable, "-m", "tools.demo", "inside"]
        return subprocess.run(command, cwd=ROOT, check=False).returncode
    scratch = Path(mkdtemp(prefix="fsadvisor-demo-", dir="/var/tmp"))
    devices: dict[str, str] = {}
    try:
        for point, (name, kind, _) in _PLACES.items():
            devices[point] = _mounted(scratch, name, kind)
        _moving(scratch, devices)
    finally:
        for name, _, _ in _PLACES.values():
            subprocess.run(["umount", scratch / name], check=False)
        for loop in devices.values():
            subprocess.run(["losetup", "--detach", loop], check=False)
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


def _results() -> Iterator[Result]:
    """Of `/` on the controller's cache, and of `/srv/cached` on the SSD: a ladder, a course of five weeks, a trial."""
    storage = survey(open_machine(MACHINE), {})
    depends = {point: conditions_of(storage, point) for point in ("/", "/srv/cached")}

    def told(point: str, job: str, week: int, figure: float, **more: Any) -> Result:  # noqa: ANN401 - of a result
        known = JOBS[job]
        return Result(
            job=job,
            question=known.question,
            target=point,
            mount=point,
            when=f"{_WEEKS[week]}T02:{10 + week}:00+00:00",
            engine="fio 3.33",
            headline=known.headline.name,
            figure=_figure(figure),
            end="settled",
            windows=9,
            seconds=9.0,
            depends=depends[point],
            **more,
        )

    for week, figure in enumerate((812, 826, 1190, 1240, 1265)):
        yield told("/", "commit-fdatasync", week, figure, percentiles_us={"p50": figure * 0.98, "p99": figure * 3.1})
    for week, figure in enumerate((148, 151, 147, 150, 149)):
        yield told("/srv/cached", "commit-fdatasync", week, figure, percentiles_us={"p50": figure, "p99": figure * 2.4})
    for week, parts in ((1, (120, 480, 560)), (4, (130, 690, 880))):
        parts_us = {name: _figure(one) for name, one in zip(("data", "journal", "flush"), parts, strict=True)}
        yield told("/", "fsync-ladder", week, sum(parts), parts_us=parts_us)
    yield told("/", "commit-dsync", 4, 905)
    yield told("/srv/cached", "random-write-1", 4, 9800)
    yield Result(
        job=job_of(_TRIED),
        question="ratio of small changes of file times: lazytime",
        target="/srv/cached",
        mount="/srv/cached",
        when=f"{_WEEKS[4]}T03:00:00+00:00",
        engine="by fio 3.33, ext4 on loop images",
        headline="RATIO",
        figure=Figure(median=1.12, low=1.08, high=1.16, windows=14),
        end="settled",
        windows=14,
        seconds=96.0,
        depends=depends["/srv/cached"],
    )
    for week in (3, 4):
        yield Result(
            job=f"{COMPARED}demo",
            question="/, /srv/cached by commit-fdatasync, random-write-32, create-1",
            target="/",
            mount="/",
            when=f"{_WEEKS[week]}T03:10:00+00:00",
            engine="fio 3.33",
            headline="",
            figure=None,
            end="settled",
            windows=54,
            seconds=58.0,
            depends=depends["/"],
            sides=("/", "/srv/cached"),
            best=dict.fromkeys(("commit-fdatasync", "random-write-32"), ("/srv/cached",))
            | {"create-1": ("/", "/srv/cached")},
        )


_FLUSH_MS: Final = {"sda": 0.88, "sdc": 0.88, "bcache0": 0.09, "sdf": 0.09}
"""How long a flush takes: on `/` as the composed ladder has it, on the SSD as its course."""


def _flushed(diskstats: str) -> str:
    """A flush for each third write: data, journal, its commit. The virtual disk that was recorded took none."""

    def told(line: str) -> str:
        numbers = line.split()
        flushes = int(numbers[7]) // 3
        return " ".join((*numbers[:18], str(flushes), str(round(flushes * _FLUSH_MS.get(numbers[2], 0)))))

    return "".join(f"{told(line)}\n" for line in diskstats.splitlines())


def _figure(median: float) -> Figure:
    return Figure(median=median, low=median * 0.97, high=median * 1.03, windows=9)


def _mounted(scratch: Path, name: str, kind: str) -> str:
    """A new filesystem in an image; its loop device."""
    image, point = scratch / f"{name}.img", scratch / name
    with image.open("wb") as file:
        file.truncate(4 * _GIB)
    subprocess.run([f"mkfs.{kind}", "-q", image], check=True)
    made = subprocess.run(["losetup", "--find", "--show", "--direct-io=on", image], check=True, stdout=subprocess.PIPE)
    loop = made.stdout.decode().strip()
    point.mkdir()
    subprocess.run(["mount", loop, point], check=True)
    return loop


def _moving(scratch: Path, devices: dict[str, str]) -> None:
    """Two minutes of Live, and what hurts meanwhile, in looks of 5 s: three copies fill a disk for half a minute."""
    programs = (("mongod", _commits, "cached"), ("postgres", _commits, "root"), *[("rsync", _copies, "cached")] * 3)
    pids: list[int] = []
    for name, work, place in programs:
        if not (pid := os.fork()):
            ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
            work(scratch / place / f"{name}{len(pids)}")
        pids.append(pid)
    try:
        beats, windows = _recorded(scratch / "cached" / _GO)
    finally:
        for pid in pids:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
    names = _Names(scratch, devices, pids)
    (OUT / "live.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(map(names.beat, beats)))
    (OUT / "incident.jsonl").write_text("".join(json.dumps(names.window(one)) + "\n" for one in windows))


def _commits(folder: Path) -> None:
    """A database: 4 KiB and an fsync, some hundred times a second with pauses."""
    folder.mkdir(exist_ok=True)
    turn = random.Random(str(folder))
    with (folder / "journal").open("wb", buffering=0) as file:
        while True:
            file.seek(turn.randrange(4096) * 4096)
            file.write(os.urandom(4096))
            os.fsync(file.fileno())
            time.sleep(turn.expovariate(60))


def _copies(folder: Path) -> None:
    """A backup: 256 MiB written and synced, again and again, once it may go on."""
    folder.mkdir(exist_ok=True)
    block = os.urandom(1 << 20)
    while True:
        if not (folder.parent / _GO).exists():
            time.sleep(0.2)
            continue
        with (folder / "copy").open("wb", buffering=0) as file:
            for at in range(256):
                file.write(block)
                if at % 16 == 0:
                    os.fsync(file.fileno())


def _recorded(go: Path) -> tuple[list[RecordedSample], list[Any]]:
    sampling = LiveSampler(lambda: None, print)
    sampling.go()
    windows: list[Any] = []
    done = threading.Event()

    def looks() -> None:
        while not done.is_set():
            windows.append(msgspec.to_builtins(observe(5.0)))

    looking = threading.Thread(target=looks)
    looking.start()
    beats = []
    for at in range(_BEATS):
        if at == _COPIES_S[0]:
            go.touch()
        if at == _COPIES_S[1]:
            go.unlink()
        beats.append(RecordedSample.of(pulse(), sampling.seen().writing))
        time.sleep(1.0)
    done.set()
    sampling.pause()
    looking.join()
    return beats, windows


class _Names:
    """Those of the demo's machine for those of the scratch."""

    def __init__(self, scratch: Path, devices: dict[str, str], pids: Sequence[int]) -> None:
        every = _PLACES
        self._pids = pids
        self._points = {str(scratch / name): point for point, (name, _, _) in every.items()}
        self._devices = {devices[point].removeprefix("/dev/"): names for point, (_, _, names) in every.items()}

    def beat(self, one: RecordedSample) -> RecordedSample:
        """Its counters of the scratch's devices, and those of its writers that are ours; processors had other work."""
        lines = [line for text in one.diskstats.splitlines() for line in self._counted(text)]
        lines += [f"8 {at} {name}{' 0' * 17}" for at, name in enumerate(_IDLE, 80)]
        diskstats = _flushed("\n".join(lines) + "\n")
        writers = tuple(
            replace(it, mounts=it.mounts and tuple(self._points.get(at, at) for at in it.mounts), unit=_UNITS[it.name])
            for it in one.writing.writers
            if it.pid in self._pids
        )
        return replace(
            one,
            stat="",
            cpu_pressure="",
            devices=tuple(line.split()[2] for line in diskstats.splitlines()),
            diskstats=diskstats,
            writing=replace(one.writing, writers=writers),
        )

    def _counted(self, line: str) -> Iterator[str]:
        numbers = line.split()
        for at, name in enumerate(self._devices.get(numbers[2], ())):
            yield " ".join(("8", str(at), name, *numbers[3:]))

    def window(self, one: Any) -> Any:  # noqa: ANN401 - JSON
        """The same of a window: without the filesystems and devices of the host."""
        here = tuple(self._points)
        one["filesystems"] = [it for it in one.get("filesystems", ()) if it["mount_point"] in here]
        one["programs"] = [self._program(it, here) for it in one.get("programs", ()) if it["pid"] in self._pids]
        one |= {of: [it for it in one.get(of, ()) if it["name"] in _UNITS] for of in ("waiters", "runners")}
        of = [it for it in one.get("journals", ()) if it["device"] in self._devices]
        one["journals"] = of
        text = json.dumps({name: value for name, value in one.items() if name not in _OTHERS})
        for before, after in self._points.items():
            text = text.replace(f'"{before}/', f'"{after.rstrip("/")}/').replace(f'"{before}"', f'"{after}"')
        for before, names in self._devices.items():
            text = text.replace(f'"{before}"', f'"{names[0]}"').replace(f"/dev/{before}", f"/dev/{names[0]}")
        told = json.loads(text)
        ours = {names[0] for names in self._devices.values()}
        told["devices"] = [it for it in told.get("devices", ()) if it["name"] in ours]
        return told

    def _program(self, one: dict[str, Any], here: tuple[str, ...]) -> dict[str, Any]:
        places = [it for it in one.get("places", ()) if it in here]
        return {**one, "places": places, "unit": _UNITS[one["name"]], "groups": []}


_OTHERS: Final = frozenset(
    (
        "processor",
        "processors",
        "user",
        "system",
        "interrupts",
        "steal",
        "iowait",
        "cpu_some",
        "cpu_full",
        "groups",
        "log",
    )
)
"""Of the host's processors, which others used meanwhile, its control groups and its log."""

_IDLE: Final = ("sdb", "sdd", "sde")
"""Drives on which nothing was recorded."""

_UNITS: Final = {"mongod": "mongod.service", "postgres": "postgresql.service", "rsync": "backup.service"}


if __name__ == "__main__":
    sys.exit(main())
