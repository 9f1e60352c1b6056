"""Where the time goes, live: the sentence that the counters of the last ten moments support, a second each as a rule.

Threads are not looked at here, which would cost too much each second: what only they would tell is not known.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.pages.spans import Line, Tone, line, span
from fsadvisor.report.waits_page import percent
from fsadvisor.waits.rates import Rates
from fsadvisor.waits.rules import LIMIT
from fsadvisor.waits.sentence import Measured, measured, sentences
from fsadvisor.waits.window import NOT_TRACED, Disk, Disks, Window, cpu_between, stalls_between

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fsadvisor.waits.rates import Moment

_MOMENTS: Final = 10
_LEAST: Final = 2
_UNSEEN: Final = Unknown(Cause.NOT_MEASURED, "run `fsadvisor waits`, which looks at all threads")
_UNCOUNTED: Final = Unknown(Cause.NOT_EXPOSED, "Linux 5.5 or later counts flushes", "/proc/diskstats")
_GONE: Final = Unknown(Cause.NOT_MEASURED, "wait until the disks' counters have been read twice", "/proc/diskstats")
_ANEW: Final = Unknown(Cause.NOT_MEASURED, "wait: the counters began anew meanwhile", "/proc/diskstats")


def limit(moments: Sequence[Moment], width: int) -> Line:
    """One line: the gravest sentence that holds, or how busy all is where none does."""
    head = span("Time goes  ", Tone.STRONG)
    last = list(moments)[-_MOMENTS - 1 :]
    if len(last) <= _LEAST:
        return line(head, span("a few moments …", Tone.DIM))
    seen = window(last)
    found = measured(seen)
    (first, *_) = sentences(found)
    if first.id == "not told":
        return line(head, span(_busy(found, width), Tone.DIM))
    short = first.says if width >= len(first.says) + 16 else _short(first.says)
    return line(head, span(f"{short}, in the last {seen.seconds:.0f} s" if width >= len(short) + 40 else short))


def _short(says: str) -> str:
    """Without the reason: what stands before the colon, and which disk it is."""
    what, colon, rest = says.partition(": ")
    _, bracket, which = rest.rpartition(" (")
    return f"{what} ({which}" if colon and bracket else what


def _busy(found: Measured, width: int) -> str:
    facts = (("processors", found.measures.processor), (f"disk {found.of['disk_most']}", found.measures.disk_most))
    parts = [
        f"{name.rstrip()} {'not told' if isinstance(fact, Unknown) else percent(fact.value)}" for name, fact in facts
    ]
    calm = all(not isinstance(fact, Unknown) and fact.value < LIMIT for _, fact in facts)
    says = f"{', '.join(parts)}{', neither is at its limit' if calm else ''}"
    more = "; `fsadvisor waits` looks at threads, too"
    return says + more if width > len(says) + len(more) + 12 else says


def window(moments: Sequence[Moment]) -> Window:
    """The span of the moments; they are two or more."""
    first, last = moments[0], moments[-1]
    seconds = last.at_s - first.at_s
    return Window(
        seconds=seconds,
        cpu=cpu_between(first.processors, last.processors),
        disks=_disks(moments[1:], [after.at_s - before.at_s for before, after in pairwise(moments)]),
        pressure={
            "cpu": stalls_between(first.cpu_pressure, last.cpu_pressure, seconds, "/proc/pressure/cpu"),
            "io": stalls_between(first.pressure, last.pressure, seconds, "/proc/pressure/io"),
            "memory": stalls_between(first.memory_pressure, last.memory_pressure, seconds, "/proc/pressure/memory"),
        },
        works=(),
        threads=_UNSEEN,
        locks=NOT_TRACED,
        own=0.0,
    )


def _disks(moments: Sequence[Moment], seconds: Sequence[float]) -> Fact[Disks]:
    """Means over the moments, which took so many seconds each."""
    told = [one.disks for one in moments if one.disks is not None]
    if len(told) < len(moments):
        return next((one.unread for one in moments if one.unread is not None), _GONE)
    known = moments[-1].known
    always = frozenset(known).intersection(*told)
    active = always.intersection(frozenset[str]().union(*(one.active for one in moments)))
    shown = sorted(active) + sorted(always - active)[:1]  # of thousands that did nothing, one tells what is counted
    return Known(
        Disks(
            each=tuple(_disk(name, [one[name] for one in told], seconds) for name in shown),
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
