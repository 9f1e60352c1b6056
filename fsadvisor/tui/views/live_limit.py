"""Where the time goes, live: the sentence that the counters of the last ten moments support, a second each as a rule.

Threads are not looked at here, which would cost too much each second: what only they would tell is not known.

Which processes write, and which of them wait in fsync.

The kernel counts bytes for each process, but no fsync: without tracing, one can only look many times where a thread
is. So what is shown is in how many of the samples at least one thread of it waited in a sync, which comes to the share
of the time; how many syncs that were can't be told.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.measure.waits.rates import Rates
from fsadvisor.measure.waits.rules import LIMIT
from fsadvisor.measure.waits.sentence import WindowMeasures, measured, sentences
from fsadvisor.measure.waits.window import (
    NOT_TRACED,
    Disk,
    Disks,
    WaitsWindow,
    cpu_between,
    memory_lacking,
    stalls_between,
)
from fsadvisor.pages.glyphs import Line, Tone, line, span
from fsadvisor.readers import process_files
from fsadvisor.report.waits_page import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fsadvisor.machine.pulse import ProcessPulse, Stacks
    from fsadvisor.measure.waits.rates import Moment
    from fsadvisor.readers.process_files import ProcessIo, ProcessStat


_MOMENTS: Final = 10
_LEAST: Final = 2
_UNSEEN: Final = Unknown(Cause.NOT_MEASURED, "run `fsadvisor waits`, which looks at all threads")
_UNCOUNTED: Final = Unknown(Cause.NOT_EXPOSED, "Linux 5.5 or later counts flushes", "/proc/diskstats")
_GONE: Final = Unknown(Cause.NOT_MEASURED, "wait until the disks' counters have been read twice", "/proc/diskstats")
_ANEW: Final = Unknown(Cause.NOT_MEASURED, "wait: the counters were reset meanwhile", "/proc/diskstats")


def limit(moments: Sequence[Moment], width: int) -> Line:
    """One line: the gravest sentence that holds, or how busy all is where none does."""
    head = span("Time goes  ", Tone.STRONG)
    last = list(moments)[-_MOMENTS - 1 :]
    if len(last) <= _LEAST:
        return line(head, span("a few moments …", Tone.DIM))
    seen = window(last)
    accounted = measured(seen)
    (first, *_) = sentences(accounted)
    if first.id == "not told":
        return line(head, span(_busy(accounted, width, seen.seconds), Tone.DIM))
    short = first.says if width >= len(first.says) + 16 else _short(first.says)
    return line(head, span(f"{short}, in the last {seen.seconds:.0f} s" if width >= len(short) + 40 else short))


def _short(says: str) -> str:
    """Without the reason: what stands before the colon, and which disk it is."""
    what, colon, rest = says.partition(": ")
    _, bracket, which = rest.rpartition(" (")
    return f"{what} ({which}" if colon and bracket else what


def _busy(found: WindowMeasures, width: int, seconds: float) -> str:
    processors, disk = found.measures.processor, found.measures.disk_most
    busiest = f"busiest disk {found.of['disk_most']}".rstrip()
    calm = all(not isinstance(fact, Unknown) and fact.value < LIMIT for fact in (processors, disk))
    says = f"processors {_share(processors)}, {busiest} {_share(disk)}{', neither is at its limit' if calm else ''}"
    for more in (f", in the last {seconds:.0f} s", "; `fsadvisor waits` looks at threads, too"):
        says += more if width > len(says) + len(more) + 12 else ""
    return says


def _share(fact: Fact[float]) -> str:
    return "not known" if isinstance(fact, Unknown) else percent(fact.value)


def window(moments: Sequence[Moment]) -> WaitsWindow:
    """The span of the moments; they are two or more."""
    first, last = moments[0], moments[-1]
    seconds = last.at_s - first.at_s
    memory = stalls_between(first.memory_pressure, last.memory_pressure, seconds, "/proc/pressure/memory")
    return WaitsWindow(
        seconds=seconds,
        cpu=cpu_between(first.processors, last.processors),
        disks=_disks(moments[1:], [after.at_s - before.at_s for before, after in pairwise(moments)]),
        pressure={
            "cpu": stalls_between(first.cpu_pressure, last.cpu_pressure, seconds, "/proc/pressure/cpu"),
            "io": stalls_between(first.pressure, last.pressure, seconds, "/proc/pressure/io"),
            "memory": memory,
        },
        memory_lacking=memory_lacking(memory.some, first.memory_left, last.memory_left),
        works=(),
        threads=_UNSEEN,
        locks=NOT_TRACED,
        own=0.0,
    )


def _disks(moments: Sequence[Moment], seconds: Sequence[float]) -> Fact[Disks]:
    """Means over the moments, which took so many seconds each."""
    samples = [one.disks for one in moments if one.disks is not None]
    if len(samples) < len(moments):
        return next((one.unread for one in moments if one.unread is not None), _GONE)
    known = moments[-1].known
    always = frozenset(known).intersection(*samples)
    active = always.intersection(frozenset[str]().union(*(one.active for one in moments)))
    shown = sorted(active) + sorted(always - active)[:1]  # of thousands that did nothing, one tells what is counted
    return Known(
        Disks(
            each=tuple(_disk(name, [one[name] for one in samples], seconds) for name in shown),
            untold=tuple(sorted(known - always)),
        ),
        "/proc/diskstats",
    )


def _disk(name: str, rates: Sequence[Rates], seconds: Sequence[float]) -> Disk:
    def mean(of: Callable[[Rates], float]) -> float:
        return sum(of(one) * took for one, took in zip(rates, seconds, strict=True)) / sum(seconds)

    flush: Fact[float] = Known(mean(lambda one: (one.flushes or 0) * (one.flush_ms or 0) / 1000), "/proc/diskstats")
    if any(one.flushes is None for one in rates):
        flush = _UNCOUNTED
    elif any(one.flushes and one.flush_ms is None for one in rates):
        flush = _ANEW
    return Disk(name=name, rates=Rates(busy=mean(lambda one: one.busy), queue=mean(lambda one: one.queue)), flush=flush)


_MINUTE_S: Final = 60.0


class Writer(Struct, frozen=True, kw_only=True):
    """A process that wrote in the last minute. `waited` of `samples` found one of its threads in a sync."""

    pid: int
    name: str
    write_bytes: float
    """Per second, since the sample before."""

    minute_bytes: int
    cancelled_bytes: int
    """Of those of the minute: never went to a disk, as their file was cut or removed."""

    samples: int = field(name="looks")
    waited: int
    mounts: tuple[str, ...] | None = None
    """Mount points at which it has files open for writing; None where that is not told."""

    unit: str = ""
    """The systemd unit or the container that it belongs to; '' where that is not told."""


class WritingProcesses(Struct, frozen=True, kw_only=True):
    """All of them. `unknown` says why waiting can't be told; `left` threads were too many to look at."""

    writers: tuple[Writer, ...] = ()
    seen: int = 0
    denied: int = 0
    root: bool = True
    """Whether we asked as root, who is told everything that is told at all."""

    left: int = 0
    unknown: Unknown | None = None


class _Sampled(Struct):
    stat: ProcessStat | None
    io: ProcessIo
    written: deque[tuple[float, int, int]] = field(default_factory=deque)
    """When, bytes written and bytes cancelled since the sample before."""

    samples: deque[tuple[float, bool]] = field(default_factory=deque)


class WriterHistory:
    """A minute of what processes did."""

    def __init__(self) -> None:
        self._seen: dict[int, _Sampled] = {}
        self._owed: dict[int, int] = {}
        """Bytes of children that ended: they will be counted for who waits for them, but were shown as theirs."""

        self._last: ProcessPulse | None = None
        self._before_s: float | None = None
        self._left = 0
        self._unknown: Unknown | None = None

    def add(self, pulse: ProcessPulse) -> None:
        """What the processes say they have written."""
        for pid in pulse.gone:
            self._forget(pid)
        for pid, text in pulse.io.items():
            io = process_files.parse_process_io(text)
            stat = process_files.parse_process_stat(pulse.stat.get(pid, ""))
            if not isinstance(io, Unknown):
                self._wrote(pid, io, None if isinstance(stat, Unknown) else stat, pulse.at_s)
        self._before_s = self._last.at_s if self._last else None
        self._last = pulse
        for one in self._seen.values():
            while one.written and one.written[0][0] < pulse.at_s - _MINUTE_S:
                one.written.popleft()

    def sample(self, stacks: Stacks) -> None:
        """Where the threads are at this moment."""
        self._left, self._unknown = stacks.left, stacks.unknown
        for pid, texts in stacks.stacks.items():
            seen = self._seen.get(pid)
            if seen is None:
                continue
            read = (process_files.parse_process_stack(text) for text in texts)
            waits = any(not isinstance(one, Unknown) and one.syncing for one in read)
            seen.samples.append((stacks.at_s, waits))
            while seen.samples[0][0] < stacks.at_s - _MINUTE_S:
                seen.samples.popleft()

    def writing(self) -> WritingProcesses:
        """As of now, who wrote most in the minute first."""
        if self._last is None:
            return WritingProcesses()
        writers = [self._writer(pid, seen) for pid, seen in self._seen.items() if seen.written]
        writers.sort(key=lambda one: (-one.minute_bytes, one.pid))
        return WritingProcesses(
            writers=tuple(writers),
            seen=self._last.seen,
            denied=self._last.denied,
            root=self._last.root,
            left=self._left,
            unknown=self._unknown,
        )

    def _writer(self, pid: int, seen: _Sampled) -> Writer:
        now_s = self._last.at_s if self._last else 0.0
        passed = now_s - (self._before_s if self._before_s is not None else now_s)
        last = sum(written for at, written, _ in seen.written if at == now_s)
        minute = sum(written for _, written, _ in seen.written)
        return Writer(
            pid=pid,
            name=seen.stat.name if seen.stat else "?",
            write_bytes=last / passed if passed > 0 else 0.0,
            minute_bytes=minute,
            cancelled_bytes=min(sum(cancelled for _, _, cancelled in seen.written), minute),
            samples=len(seen.samples),
            waited=sum(waits for _, waits in seen.samples),
        )

    def _wrote(self, pid: int, io: ProcessIo, stat: ProcessStat | None, at_s: float) -> None:
        before = self._seen.get(pid)
        if before is None or _another(before.stat, stat):
            began_here = self._last is not None
            self._seen[pid] = before = _Sampled(stat, io)
            written, cancelled = (io.write_bytes, io.cancelled_write_bytes) if began_here else (0, 0)
        else:
            written = max(io.write_bytes - before.io.write_bytes, 0)
            cancelled = max(io.cancelled_write_bytes - before.io.cancelled_write_bytes, 0)
            before.io, before.stat = io, stat or before.stat
        owed = min(self._owed.get(pid, 0), written)
        if owed:
            self._owed[pid] -= owed
        if written - owed > 0:
            before.written.append((at_s, written - owed, cancelled))

    def _forget(self, pid: int) -> None:
        seen = self._seen.pop(pid, None)
        self._owed.pop(pid, None)
        if seen is not None and seen.stat is not None and seen.stat.parent in self._seen:
            parent = seen.stat.parent
            self._owed[parent] = self._owed.get(parent, 0) + seen.io.write_bytes


def _another(before: ProcessStat | None, now: ProcessStat | None) -> bool:
    """Whether the number was given to another process meanwhile."""
    return before is not None and now is not None and before.started != now.started
