"""What one look at a machine in trouble asks besides counters: mounts, processes, control groups and device states.

Each question may hang (a dead NFS server, a process in exec): whoever asks gives it a time limit.
"""

from __future__ import annotations

import errno
import os
import re
from functools import partial
from stat import S_ISBLK
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.machine.pulse import content, numbers, read
from fsadvisor.machine.runner import Runner, decoded
from fsadvisor.machine.time_limits import in_turn, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STATFS_S: Final = 1.0
_DMESG_S: Final = 5.0
"""A machine that is looked at because it is slow is slow to start a program, too."""
_IO_S: Final = 0.5
_FDS: Final = 256
"""Descriptors of one process that are looked at."""

_WRITES: Final = 3
"""O_WRONLY or O_RDWR in the flags of fdinfo."""

_GROUPS: Final = 2000
_ARGUMENT: Final = re.compile(rb"(?:-{0,2}[A-Za-z][\w.-]*=)?(/[^\0]*)")


class Space(Struct, frozen=True, kw_only=True):
    """What statfs says, in bytes."""

    size: int
    free: int
    available: int
    inodes: int
    inodes_free: int


class Holds(Struct, frozen=True, kw_only=True):
    """Where a process is at work: ids of mounts that it writes to, paths of its arguments, devices that it has open."""

    group: str = ""
    written: tuple[int, ...] = ()
    paths: tuple[str, ...] = ()
    directory: str = ""
    """In which it works; '' where we may not ask that of another user's."""
    waits_in: tuple[int, ...] = ()
    """Ids of mounts of the files that are the first argument of calls in which its threads wait in state D."""
    devices: tuple[str, ...] = ()
    """Whole block devices that it has open, by the kernel's names."""
    waits_on: tuple[str, ...] = ()
    """Those of them that are the first argument of such a call."""
    kernel: bool = False
    """It is a thread of the kernel: it has no arguments."""
    mounts: str | None = ""
    """The table of mounts that it sees, where that is not ours, as in a container; None where that is not told."""
    not_run_s: float | None = None
    """How long ago the one of its threads that is stuck for longest last ran."""
    verb: str = ""
    """Its first argument that is no option: 'scrub' of `btrfs scrub start /srv`."""


def text(path: str) -> str | None:
    """A small file of the kernel; None where it can't be read."""
    answer = read(path)
    return answer.text.strip() if isinstance(answer, Reply) else None


_GONE: Final = frozenset({errno.ENOTCONN, errno.ESTALE, errno.EHOSTDOWN, errno.ESHUTDOWN, errno.EIO})
"""Errors of statfs by which the server or the program behind a filesystem is gone."""


def spaces(mount_points: Iterable[str]) -> dict[str, Space | str | None]:
    """Of each mount point; None where it did not answer in time, the error's name where what is behind it is gone.

    Absent where it may not be asked.
    """
    answers: dict[str, Space | str | None] = {}
    hung = 0
    for point in mount_points:
        if hung > 2:
            break
        try:
            statfs = within(_STATFS_S, lambda point=point: os.statvfs(point))  # type: ignore[misc]
        except OSError as error:
            if error.errno in _GONE:
                answers[point] = errno.errorcode[error.errno]
            continue
        hung += statfs is None
        answers[point] = None if statfs is None else _space(statfs)
    return answers


def _space(statfs: os.statvfs_result) -> Space:
    unit = statfs.f_frsize
    return Space(
        size=statfs.f_blocks * unit,
        free=statfs.f_bfree * unit,
        available=statfs.f_bavail * unit,
        inodes=statfs.f_files,
        inodes_free=statfs.f_ffree,
    )


def io_of_processes() -> tuple[dict[int, str], tuple[int, ...]]:
    """The text of /proc/PID/io of each that lets us, and the processes that did not answer.

    One in the midst of exec holds the lock that the kernel takes for this, with whatever it waits for.
    """
    answers, hung = in_turn(_IO_S, numbers("/proc"), lambda pid: read(f"/proc/{pid}/io"))
    return {pid: answer.text for pid, answer in answers.items() if isinstance(answer, Reply)}, hung


def namespace(kind: str, pid: int | str = "self") -> str:
    """A process's, as the kernel numbers it; '' where that is not told."""
    try:
        return os.readlink(f"/proc/{pid}/ns/{kind}")  # noqa: PTH115 - as the others here
    except OSError:
        return ""


def name_of(pid: int) -> str:
    """What the process calls itself, '' where it is no more."""
    return text(f"/proc/{pid}/comm") or ""


_RAN: Final = re.compile(r"^se\.exec_start\s*:\s*(\d+\.\d+)", re.ASCII | re.MULTILINE)
_CPU_FIELD: Final = 36
"""Of /proc/PID/stat, counted from the state: the processor that a thread last ran on."""
_CPU_S: Final = 0.5


def not_run_for(pid: int, threads: Iterable[int]) -> float | None:
    """Seconds since the one of these threads that has waited longest last ran; None where the kernel does not tell."""
    waits = (_not_run(f"/proc/{pid}/task/{thread}") for thread in threads)
    return max((wait for wait in waits if wait is not None), default=None)


def _not_run(task: str) -> float | None:
    """By the clock of the processor that it last ran on: interrupts and stolen time hold up each one's own."""
    ran = _last_ran(f"{task}/sched")
    fields = (text(f"{task}/stat") or "").rpartition(") ")[2].split(" ")
    if ran is None or len(fields) <= _CPU_FIELD:
        return None
    now = within(_CPU_S, partial(_clock, int(fields[_CPU_FIELD])))
    return None if now is None else max(now - ran, 0.0) / 1000


def _clock(cpu: int) -> float | None:
    """A processor's clock in ms, asked on it, in a thread of its own; None where we may not run there."""
    try:
        os.sched_setaffinity(0, {cpu})
    except OSError:
        return None
    return _last_ran("/proc/thread-self/sched")


def _last_ran(path: str) -> float | None:
    """When a thread was last charged for running, by the clock of its processor, in ms."""
    found = _RAN.search(text(path) or "")
    return float(found[1]) if found else None


def hardware(device: str) -> str:
    """Where the kernel has a block device: '/sys/devices/pci0000:00/…/nvme/nvme0/nvme0n1'."""
    return os.path.realpath(f"/sys/block/{device}")


def named_lines(path: str) -> dict[str, str]:
    """What stands after each name in a small file of the kernel; none where it can't be read."""
    lines = (text(path) or "").split("\n")
    return {name: value.strip() for name, value in (line.split(":", 1) for line in lines if ":" in line)}


def holds(pid: int, stuck: Iterable[int] = ()) -> Holds:
    """Where a process works; `stuck` are threads of it.

    The filesystems themselves are not asked, so a dead one can't hold us.
    """
    written, devices = _opened(pid)
    waits = tuple(_first_arguments(pid))
    paths: list[str] = []
    kernel, verb, directory = False, "", ""
    try:
        arguments = content(f"/proc/{pid}/cmdline")
        kernel = not arguments
        words = arguments.split(b"\0")[1:]
        verb = decoded(next((word for word in words if not word.startswith(b"-")), b""))
        matches = map(_ARGUMENT.fullmatch, words)
        paths += [decoded(found[1]) for found in matches if found]
        directory = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115 - as the others here
    except OSError:
        pass
    return Holds(
        group=text(f"/proc/{pid}/cgroup") or "",
        written=tuple(dict.fromkeys(written.values())),
        paths=tuple(paths),
        directory=directory,
        devices=tuple(dict.fromkeys(devices.values())),
        waits_in=tuple(written[number] for number in waits if number in written and number not in devices),
        waits_on=tuple(devices[number] for number in waits if number in devices),
        kernel=kernel,
        verb=verb,
        not_run_s=not_run_for(pid, stuck),
        mounts="" if namespace("mnt", pid) == namespace("mnt") else mount_table(pid) or None,
    )


def _opened(pid: int) -> tuple[dict[int, int], dict[int, str]]:
    """The mount of each descriptor that is open for writing, and the whole device of each that is a block device."""
    written: dict[int, int] = {}
    devices: dict[int, str] = {}
    nodes = _in_memory(pid) | _in_memory("self")  # one that it was handed may be of our namespace
    for number in numbers(f"/proc/{pid}/fdinfo")[:_FDS]:
        fields = named_lines(f"/proc/{pid}/fdinfo/{number}")
        mount = fields.get("mnt_id", "")
        if int(fields.get("flags", "0"), 8) & _WRITES and mount.isdecimal():
            written[number] = int(mount)
        if mount in nodes and (name := _block_device(f"/proc/{pid}/fd/{number}")):
            devices[number] = name
    return written, devices


def _in_memory(pid: int | str) -> frozenset[str]:
    """Ids of the mounts that can be /dev: behind them is nothing that could hold who asks, as there is with FUSE."""
    rows = (row.partition(" - ") for row in (text(f"/proc/{pid}/mountinfo") or "").split("\n"))
    return frozenset(begin.split(" ")[0] for begin, _, end in rows if end.startswith(("devtmpfs ", "tmpfs ")))


def _block_device(descriptor: str) -> str:
    """The whole device that it is open on, '' where that is none; the device is not opened."""
    try:
        node = os.stat(descriptor)  # noqa: PTH116 - as the others here
    except OSError:
        return ""
    return device_name(f"{os.major(node.st_rdev)}:{os.minor(node.st_rdev)}") if S_ISBLK(node.st_mode) else ""


def _first_arguments(pid: int) -> Iterator[int]:
    """Of the calls in which its threads wait; root only. One that runs says 'running'."""
    for thread in numbers(f"/proc/{pid}/task")[:_FDS]:
        words = (text(f"/proc/{pid}/task/{thread}/syscall") or "").split()
        if len(words) > 1 and words[1].startswith("0x"):
            yield int(words[1], 16)


def below(device: str) -> tuple[str, ...]:
    """What a block device is made of: whole devices, of a partition the disk that it is on."""
    folder = f"/sys/block/{device}/slaves"
    return tuple(sorted({_whole(os.path.realpath(f"{folder}/{name}")) for name in _names(folder)}))


def _names(folder: str) -> list[str]:
    """None where there is no such folder."""
    try:
        return os.listdir(folder)  # noqa: PTH208 - as the others here
    except OSError:
        return []


def device_name(major_minor: str) -> str:
    """The whole device of a device number, as /sys has it: 'vda' of vda1."""
    try:
        path = os.path.realpath(f"/sys/dev/block/{major_minor}")
    except OSError:
        return ""
    if not path.startswith("/sys/devices/"):
        return ""
    return _whole(path)


def block_numbers() -> dict[str, str]:
    """The kernel's names of block devices, and of their partitions, by their numbers."""
    links = {number: f"/sys/dev/block/{number}" for number in _names("/sys/dev/block")}
    return {number: os.path.basename(os.path.realpath(link)) for number, link in links.items()}  # noqa: PTH119


def _whole(path: str) -> str:
    """The whole device of a folder of /sys/devices."""
    parent, name = os.path.split(path)
    return os.path.basename(parent) if os.path.exists(f"{path}/partition") else name  # noqa: PTH110, PTH119


class Limited(Struct, frozen=True, kw_only=True):
    """A control group with limits: the texts of its files by their names."""

    path: str
    files: dict[str, str]


_V1: Final = tuple(f"blkio.throttle.{way}_{unit}_device" for way in ("read", "write") for unit in ("bps", "iops"))
_V1_COUNTED: Final = ("blkio.throttle.io_service_bytes", "blkio.throttle.io_serviced")
_PRESSURES: Final[tuple[str, ...]] = ("io.pressure", "memory.pressure")
_EVENTS: Final = "memory.events"
_V2_COUNTED: Final = ("io.stat", *_PRESSURES, _EVENTS)


def limited_groups() -> tuple[Limited, ...]:
    """The control groups that have a limit of I/O, of both versions, with what they have done so far.

    Of those of the newer version that have none: their pressures.
    """
    found: list[Limited] = []
    for root, limits, counted in (
        ("/sys/fs/cgroup/blkio", _V1, _V1_COUNTED),
        ("/sys/fs/cgroup", ("io.max",), _V2_COUNTED),
        ("/sys/fs/cgroup/unified", ("io.max",), _V2_COUNTED),
    ):
        found += _limited(root, limits, counted)
    return tuple(found)


def _limited(root: str, limits: tuple[str, ...], counted: tuple[str, ...]) -> Iterator[Limited]:
    if not any(os.path.exists(f"{root}/{name}") for name in (*counted, "cgroup.controllers")):  # noqa: PTH110
        return
    for number, (folder, _, files) in enumerate(os.walk(root)):
        if number > _GROUPS:
            return
        path = folder.removeprefix(root) or "/"
        limited = {name: text(f"{folder}/{name}") or "" for name in limits if name in files}
        pressures = {
            name: text(f"{folder}/{name}") or "" for name in (*_PRESSURES, _EVENTS) if name in files and path != "/"
        }
        if any(limited.values()):
            counters = {name: text(f"{folder}/{name}") or "" for name in counted if name in files}
            yield Limited(path=path, files={**limited, **counters, **pressures})
        elif pressures:
            yield Limited(path=path, files=pressures)


class GroupMemory(Struct, frozen=True, kw_only=True):
    """What a control group uses, and the lowest limit that it has of its own, in bytes."""

    used: int
    limit: int


_MEMORY: Final = (
    ("/sys/fs/cgroup", "memory.current", ("memory.high", "memory.max")),
    ("/sys/fs/cgroup/memory", "memory.usage_in_bytes", ("memory.limit_in_bytes",)),
)
_NO_LIMIT: Final = 1 << 60
"""The older version writes the largest number that it knows."""


def memory_of(group: str) -> GroupMemory | None:
    """None where the group has no limit of memory, or can't be asked."""
    for root, use, limits in _MEMORY:
        used = text(f"{root}{group}/{use}")
        bounds = [int(limit) for name in limits if (limit := text(f"{root}{group}/{name}") or "").isdecimal()]
        bounds = [limit for limit in bounds if 0 < limit < _NO_LIMIT]
        if used and used.isdecimal() and bounds:
            return GroupMemory(used=int(used), limit=min(bounds))
    return None


_STATUS: Final = ("dmsetup", "status", "--noflush")
"""Without --noflush each pool writes its metadata before it answers."""


def mapper_status(patience_s: float) -> str | None:
    """What the device mapper says of its devices; '' where it can't be asked, None where no answer came in time."""
    (answer,) = Runner(timeout_s=patience_s).run([_STATUS])
    unanswered = None if isinstance(answer, Unknown) and answer.cause is Cause.TIMED_OUT else ""
    return answer.text if isinstance(answer, Reply) else unanswered


def kernel_log() -> str:
    """What dmesg prints, '' where it may not be read."""
    (answer,) = Runner(timeout_s=_DMESG_S).run([("dmesg",)])
    return answer.text if isinstance(answer, Reply) else ""


def btrfs_jobs() -> dict[str, str]:
    """What each Btrfs is doing by itself, by the name of one of its devices."""
    jobs = {uuid: text(f"/sys/fs/btrfs/{uuid}/exclusive_operation") for uuid in _names("/sys/fs/btrfs")}
    return {device: job for uuid, job in jobs.items() if job for device in _names(f"/sys/fs/btrfs/{uuid}/devices")}


def mount_table(pid: int | str = "self") -> str:
    """The mounts that a process sees, '' where that is not told."""
    answer = read(f"/proc/{pid}/mountinfo")
    return answer.text if isinstance(answer, Reply) else ""


def mount_statistics() -> str:
    """What NFS counts of each mount, '' where it counts nothing."""
    answer = read("/proc/self/mountstats")
    return answer.text if isinstance(answer, Reply) and "statvers" in answer.text else ""
