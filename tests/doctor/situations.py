"""Servers that hurt, composed of what their kernels print: stacks, the log, tables of mounts, figures of disks.

A situation's docstring is what somebody with years of nights on call would say first, written before it was tried.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Known
from fsadvisor.machine.pulse import ThreadSample, WaitingThread
from fsadvisor.machine.symptoms import Holds
from fsadvisor.measure.now import Device, Filesystem, Window, mounts, programs
from fsadvisor.measure.now.observe import recent
from fsadvisor.measure.waits.threads import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fsadvisor.measure.now import Group

LOOKS: Final = 100
NOW: Final = datetime(2026, 11, 27, 12, tzinfo=UTC)
UPTIME_S: Final = 7200.0
BOOTED: Final = "[    0.000000] Linux version 6.1.0-28-amd64\n"
CALM: Final = {
    "processors": 8, "processor": 0.1, "steal": 0.0, "cpu_some": 0.0, "io_some": 0.0, "io_full": 0.0,
    "memory_some": 0.0, "memory_full": 0.0, "swap_bytes": 0.0, "dirty": 1 << 20, "dirty_limit": 1 << 30,
    "memory_available": 0.6,
}  # fmt: skip


class Situation(Struct, frozen=True, kw_only=True):
    """What is to be told: rules with their subjects in order, words that stand on the page, words that do not."""

    compose: Callable[[], Window]
    first: tuple[str, ...]
    words: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


SITUATIONS: Final[dict[str, Situation]] = {}


def situation(
    *first: str, words: tuple[str, ...] = (), never: tuple[str, ...] = ()
) -> Callable[[Callable[[], Window]], Callable[[], Window]]:
    """Register what the function composes."""

    def add(compose: Callable[[], Window]) -> Callable[[], Window]:
        SITUATIONS[compose.__name__] = Situation(compose=compose, first=first, words=words, never=never)
        return compose

    return add


class Task(Struct, frozen=True, kw_only=True):
    """A process that waits in these functions, innermost first, in a share of the looks."""

    pid: int
    name: str
    stack: tuple[str, ...]
    share: float = 1.0
    goes_on: bool = False
    """It runs between the looks."""
    places: tuple[str, ...] = ("/srv",)
    cwd: str = ""
    kernel: bool = False
    group: str = "/"
    reads: float = 0.0
    writes: float = 0.0
    """Bytes per second."""


def disk(name: str, **facts: object) -> Device:
    """A device that does next to nothing, but for what is said."""
    calm = {"reads": 3.0, "read_ms": 0.2, "busy": 0.01, "flushes": 0.0, "flush": 0.0, "discards": 0.0, "discard": 0.0}
    return Device(name=name, **{**calm, **facts})  # type: ignore[arg-type]


def place(mount_point: str = "/srv", source: str = "/dev/sdb1", device: str = "sdb", **facts: object) -> Filesystem:
    """An ext4 with room, but for what is said."""
    usual = {
        "type": "ext4", "answers": True, "size": 1 << 40, "free": 1 << 39, "available": 1 << 39, "inodes": 1 << 20,
        "inodes_free": 1 << 19, "options": ("rw", "relatime"), "super_options": ("rw",),
        "number": f"8:{sum(map(ord, mount_point))}",
    }  # fmt: skip
    told = {"mount_point": mount_point, "source": source, "device": device, **usual, **facts}
    return Filesystem(**told)  # type: ignore[arg-type]


def server(
    tasks: Sequence[Task] = (),
    filesystems: Iterable[Filesystem] | None = None,
    devices: Iterable[Device] | None = None,
    log: str = "",
    running: Sequence[str] = (),
    groups: Sequence[Group] = (),
    exports: str = "",
    **facts: object,
) -> Window:
    """The window of a look of five seconds, by root; made with what reads a live machine's texts."""
    known = tuple(filesystems if filesystems is not None else (place(),))
    disks = tuple(devices if devices is not None else (disk("sdb"),))
    run = tuple((1000 + number, 1000 + number, name) for number, name in enumerate(running))
    samples = [_sample(number, tasks, run) for number in range(LOOKS)]
    rows = [
        f"{30 + n} 1 {fs.number} / {fs.mount_point} rw - {fs.type} {fs.source} {','.join(fs.super_options)}\n"
        for n, fs in enumerate(known)
    ]
    ids = {fs.mount_point: 30 + n for n, fs in enumerate(known)}
    held = {task.pid: _held(task, ids) for task in tasks} | {pid: Holds(group="0::/") for pid, *_ in run}
    where = mounts.places("".join(rows), known, [one.name for one in disks], exports)
    waited = programs.by_process(samples)
    io = {task.pid: (task.reads, task.writes) for task in tasks if task.reads or task.writes}
    told = recent(BOOTED + log, UPTIME_S, NOW)
    mounts.add_turned(known, told, "6.1.0")
    seen = threads(samples)
    assert isinstance(seen, Known)
    return Window(
        when=NOW.isoformat(timespec="seconds"),
        seconds=5.0,
        looks=LOOKS,
        root=True,
        waiting=seen.value.waiting,
        running=seen.value.running,
        kinds={kind: fact.value for kind, fact in seen.value.kinds.items() if isinstance(fact, Known)},
        directory_waiting=sum(one.directory for one in waited.values()) / LOOKS,
        devices=disks,
        filesystems=known,
        programs=programs.programs(waited, io, LOOKS, held, where),
        groups=tuple(groups),
        log=told,
        **{**CALM, **facts},  # type: ignore[arg-type]
    )


def _sample(number: int, tasks: Iterable[Task], running: tuple[tuple[int, int, str], ...]) -> ThreadSample:
    waiting = (
        WaitingThread(
            pid=task.pid,
            thread=task.pid,
            name=task.name,
            where="".join(f"[<0>] {function}+0x51/0x90\n" for function in task.stack),
            ran=5 + number * task.goes_on,
        )
        for task in tasks
        if task.stack and number < task.share * LOOKS
    )
    return ThreadSample(at_s=number / 20, threads=300, running=running, waiting=tuple(waiting))


def _held(task: Task, ids: dict[str, int]) -> Holds:
    written = tuple(ids[point] for point in task.places if point in ids)
    return Holds(
        group=f"0::{task.group}",
        written=written,
        paths=task.places,
        directory=task.cwd or "".join(task.places[-1:]),
        kernel=task.kernel,
    )
