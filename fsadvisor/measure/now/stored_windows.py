"""Windows that are kept, a line of JSON each: by `watch`, `doctor --json`, a capture, sysstat, atop or PCP.

What sysstat, atop or PCP kept, as windows: disks, processors, pressure and swapping, no programs and no mounts. And any
of them as what `waits` makes its sentences of: what was not kept is not known.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.machine import history_tools
from fsadvisor.machine.kept_files import INCIDENT
from fsadvisor.machine.opening import WINDOW, open_machine
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.untouched import captured_text
from fsadvisor.measure.now import FORMAT, Device, Window
from fsadvisor.measure.now.programs import memory_lacking
from fsadvisor.measure.waits.journals import PHASES, Jbd2Work
from fsadvisor.measure.waits.rates import Rates
from fsadvisor.measure.waits.threads import Threads
from fsadvisor.measure.waits.window import LEAST_SECONDS, NOT_TRACED, Cpu, Disk, Disks, Stalls, WaitsWindow
from fsadvisor.pages.published import encodable
from fsadvisor.patterns import late
from fsadvisor.readers import activity_logs, pmdumplog

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.now import Journal
    from fsadvisor.measure.waits.threads import For
    from fsadvisor.readers.activity_logs import ActivityInterval, DiskActivity


_PAGE: Final = 4096
"""Of the machine that wrote the file: not told there, so that of x86 and most of ARM."""


def interval_windows(intervals: Sequence[ActivityInterval], by: str) -> list[Window]:
    """One for each interval, as long as that was; `by` is who kept them."""
    return [
        _window(one, f"programs, mounts, flushes and limits: none are read of what {by} keeps") for one in intervals
    ]


def _window(interval: ActivityInterval, untold: str) -> Window:
    idle = None if interval.idle_percent is None else interval.idle_percent + (interval.iowait_percent or 0.0)
    return Window(
        when=interval.when,
        seconds=interval.seconds,
        processor=None if idle is None else max(0.0, 1 - idle / 100),
        steal=_share(interval.steal_percent),
        cpu_some=_share(interval.cpu_some),
        io_some=_share(interval.io_some),
        io_full=_share(interval.io_full),
        memory_some=_share(interval.memory_some),
        memory_full=_share(interval.memory_full),
        swap_bytes=None if interval.swapped_pages is None else interval.swapped_pages * _PAGE,
        dirty=None if interval.dirty_kib is None else int(interval.dirty_kib * 1024),
        devices=tuple(_device(disk) for disk in interval.disks if disk.requests or disk.busy_percent),
        untold=(untold,),
    )


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _device(disk: DiskActivity) -> Device:
    return Device(
        name=disk.name,
        requests=disk.requests,
        request_ms=disk.ms if disk.requests else None,
        read_bytes=disk.read_kib * 1024,
        write_bytes=disk.written_kib * 1024,
        busy=disk.busy_percent / 100,
        queue=disk.queue,
        in_flight=round(disk.queue),
    )


class _Keeper(NamedTuple):
    """A tool that keeps history: how its files begin, what its own reader prints of them, and how that begins."""

    name: str
    begins: re.Pattern[str]
    ask: Callable[[str], str]
    printed: re.Pattern[str]
    parse: Callable[[str], tuple[ActivityInterval, ...] | Unknown]
    prints: str


_KEEPERS: Final = (
    _Keeper(
        "sysstat",
        late("\x96\xd5|\xd5\x96"),
        history_tools.sysstat_text,
        late(r'\s*\{\s*"sysstat"\s*:'),
        activity_logs.parse_sadf,
        "`sadf -j`",
    ),
    _Keeper(
        "atop",
        late("\xef\xbe\xed\xfe|\xfe\xed\xbe\xef"),
        lambda path: history_tools.atop_text(path, activity_logs.ATOP_LABELS),
        late(r"(?:RESET\n)?(?:CPU|MEM) \S+ \d+ \d{4}/\d\d/\d\d "),
        activity_logs.parse_atop,
        f"`atop -P {activity_logs.ATOP_LABELS}`",
    ),
    _Keeper(
        "PCP",
        late("\0\0..\x50\x05\x26[\x02\x03]", re.DOTALL),
        lambda path: history_tools.pcp_text(path, pmdumplog.METRICS),
        pmdumplog.BEGINS,
        pmdumplog.parse,
        "`pmdumplog -x -Z UTC`",
    ),
)
"""Their files begin alike on machines of both byte orders, but for atop's and sysstat's."""

_MOST_KEPT: Final = 256 << 20
_TIME: Final = re.compile(r"((?:\d{4}-\d\d-\d\dT)?\d\d:\d\d(?::\d\d)?)(?:Z|\+00:00)?", re.ASCII)
_YEARS: Final = range(1990, 2200)
_LONGEST_S: Final = 1e9
_MOST: Final = 1e18
_NONE: Final = "`fsadvisor doctor --json` writes one, `fsadvisor watch --out DIR` many"


def trouble(window: Window) -> tuple[float, float]:
    """How much it hurt: the share of the time in which a thread waited for I/O, or else in which a disk was busy."""
    return window.io_some or 0.0, max((one.busy for one in window.devices), default=0.0)


def windows_in(path: Path) -> list[Window]:
    """The windows of a file, a directory of `watch`, or a capture, the oldest first. Raises MachineError."""
    try:
        files = [one for one in path.iterdir() if WINDOW.fullmatch(one.name)]
        windows = [window for file in files for window in _of_file(file)] or list(incident(open_machine(path)))
    except OSError:  # no directory, or none that can be read: what is wrong with it is told by name
        windows = _of_file(path)
    if not windows:
        raise MachineError(str(path), "no window in it", _NONE)
    return sorted(windows, key=lambda one: one.when)


def incident(machine: Machine) -> tuple[Window, ...]:
    """The last incident that the machine keeps, or whose recording holds it; none where there is none.

    Raises MachineError where what is kept is none of ours.
    """
    answer = machine.read(INCIDENT)
    if isinstance(answer, Unknown):
        return ()
    return tuple(sorted(_of_lines(answer.text, INCIDENT), key=lambda one: one.when))


def chosen_of(windows: Sequence[Window], time: str | None) -> Window:
    """The one that ends at that time of day or after it, or else the one with most trouble. Raises MachineError."""
    if time is None:
        return max(windows, key=trouble)
    match = _TIME.fullmatch(time)
    if match is None:
        raise MachineError(f"--at {time}", "no time", "say one in UTC, such as 02:10, or all of it: 2026-11-24T02:10")
    time = match[1]
    found = next((one for one in windows if time <= (one.when if "T" in time else one.when[11 : 11 + len(time)])), None)
    if found is None:
        raise MachineError(f"--at {time}", "no window ends then or later", f"the last one is of {windows[-1].when}")
    return found


class _Answer(msgspec.Struct):
    window: Window


def _of_file(file: Path) -> list[Window]:
    """Lines of windows, one answer of --json, a file of those who keep history, or what their tools made of one."""
    archive = file.with_name(f"{file.name}.index")
    if not os.path.exists(file) and os.path.exists(archive):  # noqa: PTH110 - of any name; an archive of PCP's, named as its tools name it
        file = archive
    text = captured_text(file, _MOST_KEPT, "name what `fsadvisor watch`, sysstat, atop or PCP kept")
    begins = text[:8].encode("utf-8", "surrogateescape").decode("latin-1")
    for keeper in _KEEPERS:
        binary = keeper.begins.match(begins)
        if binary or keeper.printed.match(text):
            read = keeper.parse(keeper.ask(str(file.absolute())) if binary else text)
            if isinstance(read, Unknown):
                raise MachineError(str(file), read.learn, f"name what {keeper.prints} printed")
            return interval_windows(read, keeper.name)
    try:
        return [_checked(msgspec.json.decode(text, type=_Answer).window, str(file))]
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _of_lines(text, str(file))  # not an answer: lines of windows


def _of_lines(text: str, where: str) -> list[Window]:
    try:
        return [_checked(one, where) for one in msgspec.json.Decoder(Window).decode_lines(text)]
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        why = "it is no text" if isinstance(error, UnicodeError) else error
        raise MachineError(where, f"no window of fsadvisor: {why}", _NONE) from error


def _checked(window: Window, where: str) -> Window:
    """A file may be a stranger's: its times and figures are ones that can be. Raises MachineError."""
    if window.format != FORMAT:
        raise MachineError(where, f"its format is {window.format!r}", f"{FORMAT!r} is read here")
    try:
        year = datetime.fromisoformat(window.when).astimezone(UTC).year
    except (ValueError, OverflowError):
        year = 0
    waits = (one.stuck_s or 0.0 for one in window.programs)
    sound = year in _YEARS and 0 < window.seconds <= _LONGEST_S and all(0 <= one <= _LONGEST_S for one in waits)
    if not sound or not _can_be(msgspec.to_builtins(window)):
        raise MachineError(where, "a time or a figure in it that can't be", _NONE)
    return window


def _can_be(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_can_be, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_can_be, value))
    return not isinstance(value, (int, float)) or abs(value) < _MOST


T = TypeVar("T")

_SOURCE: Final = "the window that was kept"
_NOT_KEPT: Final = Unknown(Cause.NOT_MEASURED, "", _SOURCE)
_WAITED_FOR: Final[tuple[For, ...]] = ("disk", "lock", "journal", "network", "other", "gone on")
REPLAYED_NOTE: Final = "Of journals, ext4's commits alone are kept; who slept for which lock is not."


def replayed(window: Window) -> WaitsWindow:
    """The window as `waits` measures it."""
    none = Unknown(Cause.NOT_MEASURED, f"it is of {window.seconds:g} s, and {LEAST_SECONDS:g} s are wanted", _SOURCE)
    short = window.seconds < LEAST_SECONDS
    return WaitsWindow(
        seconds=window.seconds,
        cpu=none if short else _cpu(window),
        disks=none if short else Known(Disks(each=tuple(map(_disk, window.devices))), _SOURCE),
        pressure={
            "cpu": Stalls(some=_fact(window.cpu_some), full=_fact(window.cpu_full)),
            "io": Stalls(some=_fact(window.io_some), full=_fact(window.io_full)),
            "memory": Stalls(some=_fact(window.memory_some), full=_fact(window.memory_full)),
        },
        memory_lacking=_fact(memory_lacking(window)),
        works=tuple(Known(_journal(one), _SOURCE) for one in window.journals if one.transactions),
        threads=none if short else _threads(window),
        locks=NOT_TRACED,
        own=window.own,
    )


def _fact(value: T | None) -> Fact[T]:
    return _NOT_KEPT if value is None else Known(value, _SOURCE)


def _cpu(window: Window) -> Fact[Cpu]:
    parts = (window.processors, window.user, window.system, window.interrupts, window.steal)
    processors, user, system, interrupts, steal = parts
    if processors is None or user is None or system is None or interrupts is None or steal is None:
        return _NOT_KEPT
    idle = None if window.iowait is None else max(1 - user - system - interrupts - steal - window.iowait, 0.0)
    return Known(
        Cpu(
            processors=processors,
            user=user,
            system=system,
            interrupts=interrupts,
            steal=steal,
            iowait=_fact(window.iowait),
            idle=_fact(idle),
        ),
        _SOURCE,
    )


def _disk(device: Device) -> Disk:
    same: dict[str, Any] = {name: getattr(device, name) for name in _SAME}
    if device.requests is not None:  # sysstat does not tell reads and writes apart
        same |= {"reads": device.requests, "read_ms": device.request_ms}
    return Disk(name=device.name, rates=Rates(**same, flushed=bool(device.flushes)), flush=_fact(device.flush))


_SAME: Final = tuple(name for name in Rates.__struct_fields__ if name not in ("flushed", "discard_ms"))


def _journal(journal: Journal) -> Jbd2Work:
    return Jbd2Work(
        device=journal.device,
        transactions=journal.transactions,
        requested=journal.requested,
        phases_ms=dict.fromkeys(PHASES, _NOT_KEPT),
        commit_us=_fact(journal.commit_us),
    )


def _threads(window: Window) -> Fact[Threads]:
    if window.running is None or window.waiting is None or window.threads is None:
        return _NOT_KEPT
    return Known(
        Threads(
            looks=window.looks,
            threads=window.threads,
            running=window.running,
            waiting=window.waiting,
            kinds={kind: _fact(window.kinds.get(kind)) for kind in _WAITED_FOR},
            waiters=window.waiters,
            runners=window.runners,
        ),
        _SOURCE,
    )


def as_line(window: Window) -> bytes:
    """As it is kept: names that are no UTF-8 are a stranger's, and made visible; figures have six digits.

    Sixteen digits would pass for a serial number, which a capture replaces.
    """
    return msgspec.json.encode(_short(encodable(msgspec.to_builtins(window)))) + b"\n"


def _short(value: Any) -> Any:  # noqa: ANN401 - whatever msgspec.to_builtins makes
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: _short(inside) for name, inside in value.items()}
    return [_short(inside) for inside in value] if isinstance(value, list) else value
