"""Where each millisecond of an fsync went, and who caused the flushes: from the kernel's events of one look.

A sync is from the call to its return, or from entry to exit of the filesystem where it was asked for otherwise
(io_uring, O_SYNC, a loop device). Its time is cut by what was under way on the disks below: first a flush, then a write
that somebody waits for, then a commit of the journal; the rest is locks, queues and processors.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from contextlib import closing
from functools import cache
from itertools import accumulate
from statistics import fmean, quantiles
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from fsadvisor.machine import symptoms
from fsadvisor.machine.kernel_events import Instance, opened, process_of
from fsadvisor.measure.now import Traced, TracedPlace, TracedProgram, Window
from fsadvisor.measure.now.facts import named
from fsadvisor.measure.now.mounts import devices_of
from fsadvisor.readers.kernel_traces import event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fsadvisor.readers.kernel_traces import TraceEvent

_CALLS: Final = ("fsync", "fdatasync", "sync", "syncfs")
_ENTRIES: Final = ("ext4/ext4_sync_file", "f2fs/f2fs_sync_file")
EVENTS: Final[dict[str, str]] = {
    **{f"syscalls/sys_{way}_{call}": "" for call in _CALLS for way in ("enter", "exit")},
    **{f"{name}_{way}": "" for name in _ENTRIES for way in ("enter", "exit")},
    "xfs/xfs_file_fsync": "",
    "btrfs/btrfs_sync_file": "",
    "jbd2/jbd2_start_commit": "",
    "jbd2/jbd2_end_commit": "",
    "jbd2/jbd2_run_stats": "",
    "jbd2/jbd2_handle_stats": "interval > 0",
    "block/block_rq_issue": 'rwbs ~ "FF*" || rwbs ~ "W*S*" || rwbs ~ "W*F*"',
    "block/block_rq_complete": 'rwbs ~ "FF*" || rwbs ~ "W*S*" || rwbs ~ "W*F*"',
}
"""What is asked of the kernel, with filters: a handle of a journal that was open for less than a tick is no news."""

_DEVICE: Final = re.compile(r"dev (?:= )?\(?(\d+)[,:](\d+)\)?,?(?: ino (?:= )?(0x[0-9a-f]+|\d+))?", re.ASCII)
_REQUEST: Final = re.compile(r"(\d+),(\d+) ([A-Z]+) (?:\d+ )?\(.*?\) (\d+) \+ (\d+)", re.ASCII)
_NUMBER: Final = re.compile(r"\b([a-z_]+) (\d+)", re.ASCII)
_FD: Final = re.compile(r"\(fd: (?:0x)?([0-9a-f]+)\)", re.ASCII)
_MOST_PROGRAMS: Final = 5
_MANY: Final = 2
"""Quantiles need two values."""


class Sync(Struct):
    """One call, in seconds of the instance's clock. `device` is 'major:minor' of the filesystem, '' where not told."""

    thread: int
    task: str
    begin: float
    end: float = 0.0
    device: str = ""
    inode: int | None = None
    descriptor: int | None = None
    of_call: bool = False


class Trace(Struct):
    """What the events say, before names are known: by filesystem, and by disk."""

    events: int = 0
    syncs: list[Sync] = field(default_factory=list)
    whole: Counter[tuple[int, str]] = field(default_factory=Counter)
    commits: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    held_up: dict[str, tuple[int, str]] = field(default_factory=dict)
    """The longest that a commit waited for open operations, in ms, and whose was open longest."""
    flushes: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    writes: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    _calls: dict[int, Sync] = field(default_factory=dict)
    _commit: dict[str, float] = field(default_factory=dict)
    _requests: dict[tuple[str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    _handles: dict[tuple[str, int], tuple[int, str]] = field(default_factory=dict)

    def add(self, event: TraceEvent) -> None:
        """Take the next event of the trace."""
        self.events += 1
        name = event.name
        if name.startswith("block_rq_"):
            self._request(event)
        elif name.startswith("jbd2_"):
            self._journal(event)
        elif name.removeprefix("sys_") in _CALLS:
            self._call(event)
        else:
            self._entry(event)

    def _call(self, event: TraceEvent) -> None:
        if event.details.startswith("("):
            if event.name in ("sys_sync", "sys_syncfs"):
                self.whole[event.thread, event.task] += 1
            else:
                found = _FD.match(event.details)
                number = int(found[1], 16) if found else None
                sync = Sync(event.thread, event.task, event.at_s, descriptor=number, of_call=True)
                self._calls[event.thread] = sync
        else:
            self._end(event, of_call=True)

    def _entry(self, event: TraceEvent) -> None:
        if event.name.endswith("_exit"):
            self._end(event, of_call=False)
            return
        found = _DEVICE.match(event.details)
        sync = self._calls.get(event.thread)
        if sync is None and event.name.endswith("_enter"):
            sync = self._calls[event.thread] = Sync(event.thread, event.task, event.at_s)
        if sync is not None and found is not None and not sync.device:
            sync.device = f"{found[1]}:{found[2]}"
            sync.inode = int(found[3], 0) if found[3] else None

    def _end(self, event: TraceEvent, *, of_call: bool) -> None:
        sync = self._calls.get(event.thread)
        if sync is not None and sync.of_call == of_call:
            sync.end = event.at_s
            self.syncs.append(self._calls.pop(event.thread))

    def _request(self, event: TraceEvent) -> None:
        found = _REQUEST.match(event.details)
        if found is None:
            return
        major, minor, kind, sector, sectors = found.groups()
        flush = kind.startswith("FF")
        key = (f"{major}:{minor}", "" if flush else kind, "" if flush else sector)
        if event.name == "block_rq_issue":
            if flush or sectors != "0":
                self._requests[key].append(event.at_s)
        elif self._requests.get(key):
            (self.flushes if flush else self.writes)[key[0]].append((self._requests[key].pop(), event.at_s))

    def _journal(self, event: TraceEvent) -> None:
        found = _DEVICE.match(event.details)
        if found is None:
            return
        device, numbers = f"{found[1]}:{found[2]}", {name: int(value) for name, value in _NUMBER.findall(event.details)}
        match event.name:
            case "jbd2_start_commit":
                self._commit[device] = event.at_s
            case "jbd2_end_commit" if device in self._commit:
                self.commits[device].append((self._commit.pop(device), event.at_s))
            case "jbd2_handle_stats":
                mine = (numbers.get("interval", 0), f"{event.task} (pid {event.thread})")
                key = (device, numbers.get("tid", 0))
                self._handles[key] = max(self._handles.get(key, (0, "")), mine)
            case "jbd2_run_stats":
                _, who = self._handles.get((device, numbers.get("tid", 0)), (0, ""))
                self.held_up[device] = max(self.held_up.get(device, (0, "")), (numbers.get("locked", 0), who))


def traced(observe: Callable[[], Window]) -> Window:
    """What a look saw, with the kernel's events of it. Raises MachineError."""
    trace = Trace()
    with closing(Instance(EVENTS)) as instance:
        began_s = time.monotonic()
        window = observe()
        instance.stop()
        ended_s, began_reading_s = time.monotonic(), time.process_time()
        lost, whole_from_s = instance.lost()
        for each in filter(None, map(event, instance.lines())):
            if each.at_s >= whole_from_s:
                trace.add(each)
    callers = _Callers(window)
    whole: Counter[str] = Counter()
    for (thread, task), many in trace.whole.items():
        whole[callers.process(thread, task)] += many
    window.traced = Traced(
        seconds=round(ended_s - max(began_s, whole_from_s), 2),
        events=trace.events,
        lost=lost,
        processor_s=0.0,
        places=tuple(summed(trace, window, _disks(window))),
        whole=dict(whole.most_common(_MOST_PROGRAMS)),
        unplaced=sum(not sync.device for sync in trace.syncs),
    )
    window.traced.processor_s = round(time.process_time() - began_reading_s, 3)
    return window


class _Busy:
    """Times in which something was under way, for the share that falls into another."""

    def __init__(self, times: Iterable[tuple[float, float]]) -> None:
        self.times: list[tuple[float, float]] = []
        for begin, end in sorted(times):
            if self.times and begin <= self.times[-1][1]:
                self.times[-1] = (self.times[-1][0], max(end, self.times[-1][1]))
            else:
                self.times.append((begin, end))
        self._sums = [0.0, *accumulate(end - begin for begin, end in self.times)]
        self._begins = [begin for begin, _ in self.times]

    def _until(self, at_s: float) -> float:
        number = bisect_right(self._begins, at_s)
        over = max(self.times[number - 1][1] - at_s, 0.0) if number else 0.0
        return self._sums[number] - over

    def during(self, at_s: float) -> bool:
        """Whether one of the spans was under way at that moment."""
        number = bisect_right(self._begins, at_s)
        return bool(number) and at_s < self.times[number - 1][1]

    def within(self, sync: Sync) -> float:
        """Seconds of the spans within a sync."""
        return self._until(sync.end) - self._until(sync.begin)


def summed(trace: Trace, window: Window, disks: Mapping[str, frozenset[str]]) -> Iterator[TracedPlace]:
    """One for each filesystem, the one that waited most first; `disks` are below it, all by device number."""
    callers = _Callers(window)
    mounted = {one.number: one.mount_point for one in reversed(window.filesystems)}
    by_device: dict[str, list[Sync]] = defaultdict(list)
    for sync in trace.syncs:
        callers.place(sync)
        if sync.device:
            by_device[sync.device].append(sync)
    for device, syncs in sorted(by_device.items(), key=lambda pair: -sum(one.end - one.begin for one in pair[1])):
        place = _place(trace, device, disks.get(device, frozenset({device})), syncs, callers)
        place.mount_point = mounted.get(device, device)
        yield place


def _place(trace: Trace, device: str, disks: frozenset[str], syncs: list[Sync], callers: _Callers) -> TracedPlace:
    flushes = sorted(one for disk in disks for one in trace.flushes.get(disk, ()))
    writes = [one for disk in disks for one in trace.writes.get(disk, ())]
    commits = trace.commits.get(device, [])
    layers = [_Busy(flushes), _Busy(flushes + writes), _Busy(flushes + writes + commits)]
    waited = _Busy((one.begin, one.end) for one in syncs)
    took = [one.end - one.begin for one in syncs]
    upto = [1000 * fmean(map(layer.within, syncs)) for layer in layers]
    mean = 1000 * fmean(took)
    held_up, by = trace.held_up.get(device, (None, ""))
    cuts = quantiles(took, n=100, method="inclusive") if len(took) >= _MANY else took * 99
    return TracedPlace(
        mount_point=device,
        syncs=len(syncs),
        median_ms=round(1000 * cuts[49], 3),
        p99_ms=round(1000 * cuts[98], 3),
        longest_ms=round(1000 * max(took), 3),
        mean_ms=round(mean, 3),
        flush_ms=round(upto[0], 3),
        write_ms=round(upto[1] - upto[0], 3),
        commit_ms=round(upto[2] - upto[1], 3),
        rest_ms=round(mean - upto[2], 3),
        flushes=len(flushes),
        programs=tuple(_programs(syncs, flushes, callers)),
        commits=len(commits),
        asked=sum(waited.during(begin) for begin, _ in commits),
        held_up_ms=held_up,
        held_up_by=by if held_up else "",
    )


def _programs(syncs: list[Sync], flushes: list[tuple[float, float]], callers: _Callers) -> Iterator[TracedProgram]:
    begun = _first_to_wait(syncs, flushes)
    by_name: dict[str, list[Sync]] = defaultdict(list)
    for one in syncs:
        by_name[callers.process(one.thread, one.task)].append(one)
    for name, own in sorted(by_name.items(), key=lambda pair: -len(pair[1]))[:_MOST_PROGRAMS]:
        yield TracedProgram(
            name=name,
            syncs=len(own),
            mean_ms=round(1000 * fmean(one.end - one.begin for one in own), 3),
            flushes=sum(begun[id(one)] for one in own),
            file=next(filter(None, map(callers.file, own)), ""),
        )


class _Callers:
    """Who called, and for which file: asked of /proc after the look, once each."""

    def __init__(self, window: Window) -> None:
        self._programs = {one.pid: named(one) for one in window.programs}
        self._process = cache(process_of)
        self._opened = cache(opened)

    def process(self, thread: int, task: str) -> str:
        """'fio (pid 12, fio.service)'; those that are no more go by their name together."""
        number = self._process(thread)
        if number is None:
            return f"{task} (has ended)"
        return self._programs.get(number) or f"{task} (pid {number})"

    def place(self, sync: Sync) -> None:
        """Tell its filesystem by the descriptor, where no event did."""
        if not sync.device and sync.descriptor is not None:
            there = self._opened(sync.thread, sync.descriptor)
            sync.device = there.device if there else ""

    def file(self, sync: Sync) -> str:
        """Its path, where the descriptor is open on the same file still."""
        there = None if sync.descriptor is None else self._opened(sync.thread, sync.descriptor)
        same = there is not None and (sync.inode is None or there.inode is None or sync.inode == there.inode)
        return there.path if there is not None and same else ""


def _disks(window: Window) -> dict[str, frozenset[str]]:
    """The device numbers of the disks below each filesystem, by its own."""
    return {
        fs.number: frozenset(
            number
            for name in devices_of(fs.mount_point, window)
            if (number := symptoms.text(f"/sys/class/block/{name}/dev"))
        )
        for fs in window.filesystems
        if fs.number
    }


def _first_to_wait(syncs: list[Sync], flushes: list[tuple[float, float]]) -> Counter[int]:
    """Of each flush, the sync that had waited longest when it was sent: it began it, the others join."""
    begun: Counter[int] = Counter()
    waiting: list[Sync] = []
    left = sorted(syncs, key=lambda one: -one.begin)
    for at_s, _ in flushes:
        while left and left[-1].begin <= at_s:
            waiting.append(left.pop())
        waiting = [one for one in waiting if one.end > at_s]
        if waiting:
            begun[id(waiting[0])] += 1
    return begun
