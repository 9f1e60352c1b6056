"""What probes found, as text: a paragraph and bars for each job, a table for several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.escape import clean
from fsadvisor.pages.glyphs import UNICODE
from fsadvisor.pages.text import WIDTH, counted, wrapped
from fsadvisor.probe.cost import seconds_text
from fsadvisor.probe.finding import bytes_text
from fsadvisor.report.probe_seeds import beside
from fsadvisor.report.probe_words import (
    amount,
    figure_text,
    flushes_text,
    limits,
    middle,
    more_voids,
    of_all,
    sureness,
    time_text,
    unsettled,
    written_text,
)
from fsadvisor.report.probe_words import beside as beside_it

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.probe.cost import Cost
    from fsadvisor.probe.finding import Finding
    from fsadvisor.probe.job import Job
    from fsadvisor.probe.result import Figure, Result

BAR: Final = 40
_ENDS: Final = {
    "settled": "settled",
    "budget": "not settled when its time or bytes were used up",
    "cancelled": "stopped by you",
    "failed": "failed",
}
_PARTS: Final = ("data", "journal", "flush")
_BESIDE: Final = ("flush_counted", "flush_disks", "dsync")


def cost_lines(cost: Cost, jobs: int, target: str, columns: int = WIDTH) -> Iterator[str]:
    """What is about to be done, before it is."""
    yield from wrapped(f"{counted(jobs, 'job')} in {clean(target)}", columns)
    seconds = f"{seconds_text(cost.least_seconds)} at least, about {seconds_text(cost.most_seconds)} at most"
    yield from wrapped(seconds, columns, "  time    ")
    yield from wrapped(
        f"up to {bytes_text(cost.written_bytes)}" if cost.written_bytes else "nothing", columns, "  writes  "
    )
    room = f"{bytes_text(cost.room_bytes)} and {counted(cost.files, 'file')} at one time, all taken away again"
    yield from wrapped(room if cost.room_bytes or cost.files else "no room", columns, "  takes   ")


def finding_lines(findings: Iterable[Finding], columns: int = WIDTH) -> Iterator[str]:
    """What speaks against it."""
    for one in findings:
        yield from wrapped(clean(one.says, None), columns, "refused: " if one.level == "refused" else "warning: ")


def listing(costs: Mapping[Job, Cost], suites: Mapping[str, tuple[Sequence[str], Cost]]) -> Iterator[str]:
    """Every job and suite with what it takes."""
    yield "suites\n"
    for name, (ids, cost) in suites.items():
        yield from wrapped(f"{counted(len(ids), 'job')}, {_short(cost)}", WIDTH, f"  {name:<11}")
    yield "\njobs\n"
    for job, cost in costs.items():
        yield f"  {job.id}\n"
        yield from wrapped(f"{job.title}", WIDTH, "      ")
        yield from wrapped(_short(cost), WIDTH, "      ")


def _short(cost: Cost) -> str:
    if not cost.writes:
        return f"{seconds_text(cost.most_seconds)} at most, writes nothing"
    took = f"{bytes_text(cost.room_bytes)} of room" if cost.room_bytes else counted(cost.files, "file")
    return f"{seconds_text(cost.most_seconds)} at most, writes {bytes_text(cost.written_bytes)}, takes {took}"


def results_text(results: Sequence[Result], jobs: Mapping[str, Job], columns: int = WIDTH) -> Iterator[str]:
    """Each result; several end with a table."""
    alone = len(results) == 1
    for at, result in enumerate(results):
        if at:
            yield "\n"
        job = jobs.get(result.job)
        yield from result_text(result, job, columns)
        if alone and job and result.figure is not None:
            yield from beside(job, result, columns)
    if len(results) > 1:
        yield "\n"
        yield from table(results, columns)


def result_text(result: Result, job: Job | None, columns: int = WIDTH) -> Iterator[str]:
    """One result."""
    title = f": {job.title}" if job else ""
    yield from wrapped(f"{clean(result.job)}{title}", columns, rest="  ")
    yield from wrapped(f"{clean(result.target)}, by {clean(result.engine, None)}, {clean(result.when)}", columns, "  ")
    yield "\n"
    yield from _headline(result, columns)
    for line in limits(result):
        yield from wrapped(clean(line, None), columns, "  - ")
    yield from _accounts(result, columns)
    yield from _ladder(result, columns)
    yield from _histogram(result.histogram_us)
    yield from _more_voids(result, columns)


def _headline(result: Result, columns: int) -> Iterator[str]:
    why = f": {clean(result.error, None)}" if result.error else ""
    left_out = f", {len(result.voids)} left out" if result.voids else ""
    run = f"{counted(result.windows, 'window')}{left_out}, {seconds_text(result.seconds)}"
    end = f"{_ENDS.get(result.end, clean(result.end))}{why}"
    if result.figure is None:
        yield from wrapped(f"No figure: {end}", columns, "  ")
        yield from wrapped(run, columns, "  ")
        return
    shown = result.figure
    low, high = (amount(result.headline, it) for it in (shown.low, shown.high))
    doubt = "" if result.believable else ", which is not to be believed"
    yield from wrapped(f"{figure_text(result.headline, shown)} {sureness(shown)}{doubt}", columns, "  ")
    yield from wrapped(f"{middle(result.headline)}, 95 % interval {low} to {high}; {run}; {end}", columns, "  ")


def _accounts(result: Result, columns: int) -> Iterator[str]:
    if result.percentiles_us:
        found = (f"{name} {time_text(us)}" for name, us in result.percentiles_us.items())
        yield from wrapped(f"{of_all(result)}: {', '.join(found)}", columns, "  latency      ")
    cpu = [
        f"{share:.0f} % {kind}"
        for share, kind in ((result.user_cpu_percent, "user"), (result.system_cpu_percent, "system"))
        if share is not None
    ]
    if cpu:
        yield from wrapped(f"{', '.join(cpu)}, of one processor", columns, "  CPU          ")
    if flushes := flushes_text(result):
        yield from wrapped(clean(flushes, None), columns, "  flushes      ")
    if written := written_text(result):
        yield from wrapped(clean(written, None), columns, "  writes       ")
    if result.extents is not None and result.headline != "EXTENTS":
        yield f"  extents      {result.extents:,}\n"


def _ladder(result: Result, columns: int) -> Iterator[str]:
    """One operation's parts as a bar and in figures; what is told beside the parts is in no bar."""
    parts = result.parts_us
    shown = {name: parts[name] for name in sorted(parts, key=_place) if name not in _BESIDE}
    whole = sum(one.median for one in shown.values())
    if parts:
        yield "\n"
    if whole > 0:
        signs = [_sign(at, hatched=unsettled(one, whole)) for at, one in enumerate(shown.values())]
        shares = zip(signs, whole_cells([one.median / whole for one in shown.values()]), strict=True)
        yield f"  {''.join(sign * cells for sign, cells in shares)}\n"
        for sign, (name, one) in zip(signs, shown.items(), strict=True):
            doubt = ", not settled: hatched" if unsettled(one, whole) else ""
            words = f"{100 * one.median / whole:.0f} %, {_sure(one)}{doubt}"
            yield from wrapped(words, columns, f"  {sign} {clean(name):<9}")
    for at, (words, one) in enumerate(beside_it(result)):
        first = f"  {'' if at else 'beside it: ':<11}"
        yield from wrapped(f"{clean(words, None)}: {_sure(one)}", columns, first, " " * 15)


def _sign(at: int, *, hatched: bool) -> str:
    signs = UNICODE.hatches if hatched else UNICODE.solids
    return signs[at % len(signs)]


def _place(name: str) -> int:
    return _PARTS.index(name) if name in _PARTS else len(_PARTS)


def _sure(one: Figure) -> str:
    return f"{time_text(one.median)} (95 %: {time_text(one.low)} to {time_text(one.high)})"


def whole_cells(shares: Sequence[float], cells: int = BAR) -> list[int]:
    """Cells of a bar by shares, all of it used: what is left by rounding down goes to the largest remainders."""
    exact = [share * cells for share in shares]
    found = [int(it) for it in exact]
    order = sorted(range(len(exact)), key=lambda at: found[at] - exact[at])
    for at in order[: cells - sum(found)]:
        found[at] += 1
    return found


def _histogram(bins: Sequence[tuple[float, int]]) -> Iterator[str]:
    most = max((count for _, count in bins), default=0)
    if not most:
        return
    yield "\n"
    edges = [f"< {time_text(edge)}" for edge, _ in bins]
    wide = max(map(len, edges))
    for edge, (_, count) in zip(edges, bins, strict=True):
        bar = "█" * round(BAR * count / most) or ("▏" if count else "")
        yield f"  {edge:>{wide}} {bar:<{BAR}} {count:>10,}\n"


def _more_voids(result: Result, columns: int) -> Iterator[str]:
    lines = list(more_voids(result))
    if lines:
        yield "\n"
    for line in lines:
        yield from wrapped(clean(line, None), columns, "  - ")


def table(results: Sequence[Result], columns: int = WIDTH) -> Iterator[str]:
    """A line for each, in the order they ran."""
    wide = max(len(clean(it.job)) for it in results)
    for result in results:
        shown = result.figure
        words = "no figure" if shown is None else f"{figure_text(result.headline, shown):<22} {sureness(shown):>9}"
        note = "doubtful" if not result.believable else "" if result.end == "settled" else result.end
        yield f"  {clean(result.job):<{wide}}  {words:<32}  {note}".rstrip() + "\n"
    yield "\n"
    yield from wrapped(
        "In the order they ran: each answers a question of its own, so none is better than another. Alone, a job is "
        "shown beside what was published of the like.",
        columns,
        "  ",
    )
