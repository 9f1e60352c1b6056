"""What filesystems' journals did between two moments.

jbd2 tells averages since the mount, timed and cut down in the kernel's own ticks of 1 to 10 ms (jiffies), that of the
request delay over the transactions that were requested alone (jbd2_seq_info_show in fs/jbd2/journal.c): what the
window's own transactions took lies between two bounds, which are told, and are wide where there were many before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.measure.waits.rates import grown
from fsadvisor.readers import btrfs_tools, ext4_reports, xfs_reports

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.machine.port import Answer
    from fsadvisor.machine.pulse import KernelCounters
    from fsadvisor.readers.btrfs_tools import BtrfsCommits
    from fsadvisor.readers.ext4_reports import Jbd2Journal
    from fsadvisor.readers.xfs_reports import XfsStats

_REQUESTED: Final = "request_delay_ms"
PHASES: Final = {
    "waiting_ms": "a handle waits for a transaction",
    _REQUESTED: "from request to commit, of those asked for",
    "running_ms": "running",
    "locked_ms": "locked, last handles end",
    "flushing_ms": "data is written first",
    "logging_ms": "the journal is written",
}
_ANEW: Final = Unknown(Cause.NOT_MEASURED, "watch again: the counters were reset meanwhile")
_NONE: Final = Unknown(Cause.NOT_APPLICABLE, "")
_LEAST: Final = 8
"""Commits after which the kernel's running mean has forgotten nine tenths of what was before."""
_WRAP: Final = 1 << 32
_TICKS: Final = (
    (10.0, 0.0, 10, (0,)),
    (4.0, 0.0, 4, (0,)),
    (10 / 3, 1.0, 10, (0, 1, 4, 7)),
)
"""Kernels of 100, 250 and 300 Hz: a tick in ms, how far its times are rounded up, and what they leave modulo a number.

With 1000 Hz a tick is 1 ms, and anything is printed.
"""


class MeanBounds(Struct, frozen=True, kw_only=True):
    """A mean is not less than `low` and not more than `high`."""

    low: float
    high: float


class Jbd2Work(Struct, frozen=True, kw_only=True):
    """A journal of ext4. `phases_ms` are what a transaction of the window spent, in ms."""

    device: str
    transactions: int
    requested: int
    """Those of them that somebody waited for, as fsync does."""
    phases_ms: Mapping[str, Fact[MeanBounds]]
    commit_us: Fact[float]
    """The kernel's running mean of a commit, in µs: a quarter is the last one."""


class XfsWork(Struct, frozen=True, kw_only=True):
    """A log of XFS; '' is all of them together. All are counts."""

    device: str
    log_writes: int
    forces: int
    forces_slept: int
    no_buffer: int
    """Waits for a log buffer."""
    space_slept: Fact[int]
    """Waits for space in the log."""


class BtrfsWork(Struct, frozen=True, kw_only=True):
    """Commits of a Btrfs within the window."""

    uuid: str
    commits: int
    commit_ms: float
    """The mean of those that ended."""
    busy: float
    """Share of the time with a commit under way, 0 to 1, at most: the first that ended may have begun before."""


Work: TypeAlias = Jbd2Work | XfsWork | BtrfsWork
R = TypeVar("R")
Parse: TypeAlias = Callable[[str], "R | Unknown"]
Reckon: TypeAlias = Callable[[str, R, R, str], "Fact[Work]"]
"""Of a name, the record before, the one after, and where they came from."""


def works(before: KernelCounters, after: KernelCounters, only: frozenset[str] | None = None) -> tuple[Fact[Work], ...]:
    """Each journal that did something, or whose statistics can't be told; of those in `only`, where that is given."""
    seconds = after.pulse.at_s - before.pulse.at_s

    def of(
        then: Mapping[str, Answer], now: Mapping[str, Answer], parse: Parse[R], reckon: Reckon[R]
    ) -> list[Fact[Work]]:
        return [_reckoned(then[name], now[name], parse, partial(reckon, name)) for name in _both(then, now, only)]

    found = [
        *of(before.jbd2, after.jbd2, ext4_reports.parse_jbd2_info, _jbd2),
        *of(before.xfs, after.xfs, xfs_reports.parse_xfs_stats, _xfs),
        *of(before.btrfs, after.btrfs, btrfs_tools.parse_btrfs_commit_stats, partial(_btrfs, seconds)),
    ]
    return tuple(one for one in found if one != _NONE)


def _both(then: Mapping[str, Answer], now: Mapping[str, Answer], only: frozenset[str] | None) -> list[str]:
    def asked(name: str) -> bool:
        if only is None or _device(name) in only or name in only:
            return True
        return not name and isinstance(now[name], Unknown)  # why none of a kind can be listed

    return sorted(filter(asked, then.keys() & now.keys()))


def _device(name: str) -> str:
    """'sda1-8' is the journal of sda1, in inode 8."""
    device, dash, inode = name.rpartition("-")
    return device if dash and inode.isdecimal() else name


def _reckoned(then: Answer, now: Answer, parse: Parse[R], reckon: Callable[[R, R, str], Fact[Work]]) -> Fact[Work]:
    """What is reckoned of both records and where they came from; unknown where one of them is."""
    if isinstance(then, Unknown):
        return then
    if isinstance(now, Unknown):
        return now
    a, b = parse(then.text), parse(now.text)
    if isinstance(a, Unknown):
        return a
    return b if isinstance(b, Unknown) else reckon(a, b, now.source)


def _jbd2(name: str, a: Jbd2Journal, b: Jbd2Journal, source: str) -> Fact[Work]:
    transactions, requested = grown(a.transactions, b.transactions), grown(a.requested, b.requested)
    if transactions is None or requested is None:
        return _ANEW
    if not transactions:
        return _NONE
    return Known(
        Jbd2Work(
            device=_device(name),
            transactions=transactions,
            requested=requested,
            phases_ms={phase: bounds(a, b, phase, source) for phase in PHASES},
            commit_us=_commit(b, transactions, source),
        ),
        source,
    )


def bounds(before: Jbd2Journal, after: Jbd2Journal, phase: str, source: str) -> Fact[MeanBounds]:
    """What the transactions between took on average.

    An average that is printed is less than a tick below that of what was counted, and what was counted of a transaction
    is within a tick of what it took.
    """
    count = "requested" if phase == _REQUESTED else "transactions"
    number_before, number = getattr(before, count), getattr(after, count)
    mean, mean_before = getattr(after, phase), getattr(before, phase) if number_before else 0
    more = number - number_before
    if more <= 0 or mean is None or mean_before is None:
        return Unknown(Cause.NOT_EXPOSED, "", source)
    tick, rounded = _tick(before, after)
    low = (mean - rounded) * number - (mean_before + tick) * number_before
    high = (mean + tick) * number - (mean_before - rounded) * number_before
    if high < 0:
        return _ANEW
    return Known(MeanBounds(low=max(low / more - tick, 0.0), high=high / more + tick), source)


def _tick(*printed: Jbd2Journal) -> tuple[float, float]:
    """The longest tick, in ms, of a kernel that prints such numbers, and by how much it may have rounded them up."""
    told = [ms for one in printed for phase in PHASES if (ms := getattr(one, phase)) is not None]
    may = [(tick, up) for tick, up, number, left in _TICKS if all(ms % number in left for ms in told)]
    return max((tick for tick, _ in may), default=1.0), max((up for _, up in may), default=0.0)


def _commit(after: Jbd2Journal, transactions: int, source: str) -> Fact[float]:
    if after.average_commit_us is None:
        return Unknown(Cause.NOT_EXPOSED, "", source)
    if transactions < _LEAST:
        return Unknown(Cause.NOT_MEASURED, f"watch until there are {_LEAST} commits", source)
    return Known(float(after.average_commit_us), source)


def _xfs(name: str, a: XfsStats, b: XfsStats, source: str) -> Fact[Work]:
    log_writes, forces, slept, no_buffer = (
        _wrapped(a, b, field) for field in ("log_writes", "forces", "forces_slept", "no_buffer")
    )
    if max(log_writes, forces, slept, no_buffer) > _WRAP // 2:
        return _ANEW
    if not log_writes and not forces:
        return _NONE
    has_space = a.space_slept is not None and b.space_slept is not None
    return Known(
        XfsWork(
            device=name,
            log_writes=log_writes,
            forces=forces,
            forces_slept=slept,
            no_buffer=no_buffer,
            space_slept=Known(_wrapped(a, b, "space_slept"), source)
            if has_space
            else Unknown(Cause.NOT_EXPOSED, "", source),
        ),
        source,
    )


def _wrapped(before: XfsStats, after: XfsStats, field: str) -> int:
    """Counters of 32 bits."""
    return int((getattr(after, field) - getattr(before, field)) % _WRAP)


def _btrfs(seconds: float, name: str, a: BtrfsCommits, b: BtrfsCommits, source: str) -> Fact[Work]:
    commits, total_ms = grown(a.commits, b.commits), grown(a.total_ms, b.total_ms)
    if commits is None or total_ms is None:
        return _ANEW
    if not commits or seconds <= 0:
        return _NONE
    return Known(
        BtrfsWork(uuid=name, commits=commits, commit_ms=total_ms / commits, busy=min(total_ms / 1000 / seconds, 1.0)),
        source,
    )
