"""What probes take, how far they are, and what they found, beside what was published of the like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.measure.probe.cost import seconds_text
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.pages.document import Block, DrawnLines, Gap, Item, Labelled, paragraph
from fsadvisor.pages.glyphs import UNICODE, Tone, clean, line, span, width
from fsadvisor.pages.values import counted
from fsadvisor.report.probe_figures import (
    amount,
    cost_words,
    figure_and_sureness,
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
from fsadvisor.report.probe_figures import beside as beside_it
from fsadvisor.report.yardsticks import elsewhere_by_table, good_enough
from fsadvisor.rulebook.tables import published_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fsadvisor.measure.probe.cost import Cost
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.result import Figure, Result
    from fsadvisor.measure.probe.target import Objection

_NARROW, _WIDE = 60, 120


class RunStep(Struct, frozen=True, kw_only=True):
    """Where a run is: the job's place, how much of its time is used (0 to 1), and what is left of the whole."""

    at: int
    jobs: int
    job: str
    used: float = 0.0
    seconds_left: float = 0.0
    headline: str = ""
    figure: Figure | None = None
    says: str = ""
    """In place of a figure: what it is at."""


def bar(step: RunStep, columns: int = 80) -> str:
    """One line that leaves the last column free."""
    share = (step.at - 1 + min(max(step.used, 0.0), 1.0)) / step.jobs
    room = 0 if columns < _NARROW else 12 if columns < _WIDE else 40
    cells = round(share * room)
    drawn = f"{'█' * cells}{'░' * (room - cells)}  " if room else ""
    left = f"≤ {seconds_text(step.seconds_left)} left"
    seen = f"{amount(step.headline, step.figure.median)} {sureness(step.figure)}" if step.figure else ""
    found = step.says or seen
    line = f"{drawn}{step.at}/{step.jobs} {step.job}  {left}"
    more = f"{line}  {found}".rstrip()
    return cut(more if width(more) < columns else line, columns - 1)


def cut(text: str, columns: int) -> str:
    """A text made fit for a terminal, as far as it has room."""
    shown = clean(text, None)
    while width(shown) > columns:
        shown = shown[:-1]
    return shown


def done(result: Result, number: int, jobs: int, name: str = "") -> str:
    """A line for a job that has ended; `name` says more than its id."""
    figure = " ".join(filter(None, figure_and_sureness(result)))
    why = f": {clean(result.error, None)}" if result.error else ""
    ended = f"{result.end} after {seconds_text(result.seconds)}{why}"
    return f"{number}/{jobs} {clean(name or result.job, None)}: {figure}, {ended}\n"


class Narrator:
    """Writes to stderr. On a terminal the bar is drawn over itself and taken away at the end."""

    def __init__(self, write: Callable[[str], object], columns: Callable[[], int] | None) -> None:
        """`columns` tells the terminal's width; None where it is no terminal."""
        self._write, self._columns = write, columns
        self._drawn = 0

    def step(self, step: RunStep) -> None:
        """Draw the bar."""
        if self._columns is None:
            return
        line = bar(step, max(self._columns(), 2))
        self._write(f"\r{line}{' ' * max(0, self._drawn - width(line))}")
        self._drawn = width(line)

    def ended(self, result: Result, number: int, jobs: int, name: str = "") -> None:
        """Tell a job's end where there is no bar."""
        if self._columns is None:
            self._write(f"fsadvisor: {done(result, number, jobs, name)}")

    def clear(self) -> None:
        """Take the bar away."""
        if self._drawn:
            self._write(f"\r{' ' * self._drawn}\r")
            self._drawn = 0


BAR: Final = 40
_LABEL: Final = 13
_IN: Final = line("  ")
_FAR: Final = line("      ")
_ENDS: Final = {
    "settled": "settled",
    "budget": "not settled when its time or bytes were used up",
    "cancelled": "stopped by you",
    "failed": "failed",
}
_PARTS: Final = ("data", "journal", "flush")
_BESIDE: Final = ("flush_counted", "flush_disks", "dsync")


def about(jobs: int, target: str) -> Block:
    """What is about to be done, and where."""
    return paragraph(f"{counted(jobs, 'job')} in {clean(target)}")


def cost(takes: Cost) -> Iterator[Block]:
    """What a probe takes: time, writes and space."""
    yield from (Labelled(name, line(words), 8) for name, words in cost_words(takes))


def findings(findings: Iterable[Objection]) -> Iterator[Block]:
    """What speaks against a probe here, an objection a paragraph."""
    for one in findings:
        yield paragraph(one.says, first=line("refused: " if one.level == "refused" else "warning: "))


def listing(costs: Mapping[Job, Cost], suites: Mapping[str, tuple[Sequence[str], Cost]]) -> Iterator[Block]:
    """Every job and suite with what it takes."""
    yield paragraph("suites")
    for name, (ids, takes) in suites.items():
        yield Labelled(name, line(f"{counted(len(ids), 'job')}, {_short(takes)}"), 11)
    yield from (Gap(), paragraph("jobs"))
    for job, takes in costs.items():
        yield paragraph(job.id, first=_IN)
        yield paragraph(job.title, first=_FAR)
        yield paragraph(_short(takes), first=_FAR)


def _short(cost: Cost) -> str:
    if not cost.writes:
        return f"{seconds_text(cost.most_seconds)} at most, writes nothing"
    took = f"{bytes_text(cost.room_bytes)} of space" if cost.room_bytes else counted(cost.files, "file")
    return f"{seconds_text(cost.most_seconds)} at most, writes {bytes_text(cost.written_bytes)}, takes {took}"


def results(measured: Sequence[Result], jobs: Mapping[str, Job]) -> Iterator[Block]:
    """Each result; several end with a table."""
    for index, result in enumerate(measured):
        if index:
            yield Gap()
        job = jobs.get(result.job)
        yield from one_result(result, job)
        if len(measured) == 1 and job and result.figure is not None:
            yield from published_elsewhere(job, result)
    if len(measured) > 1:
        yield from (Gap(), *_table(measured))


def one_result(result: Result, job: Job | None) -> Iterator[Block]:
    """All that one result tells."""
    title = f": {job.title}" if job else ""
    yield paragraph(f"{clean(result.job)}{title}", indent=2)
    yield paragraph(f"{clean(result.target)}, by {result.engine}, {clean(result.when)}", first=_IN)
    yield Gap()
    yield from headline(result)
    yield from limiting(result)
    if result.percentiles_us:
        times = ", ".join(f"{name} {time_text(us)}" for name, us in result.percentiles_us.items())
        yield Labelled("latency", line(f"{of_all(result)}: {times}"), _LABEL)
    yield from accounts(result)
    yield from good_enough(result)
    yield from _ladder(result)
    yield from _histogram(result.histogram_us)
    if left_out := tuple(more_left_out(result)):
        yield from (Gap(), *left_out)


def headline(result: Result) -> Iterator[Block]:
    """The figure, how sure it is and how it ended."""
    why = f": {result.error}" if result.error else ""
    left_out = f", {len(result.voids)} left out" if result.voids else ""
    run = f"{counted(result.windows, 'window')}{left_out}, {seconds_text(result.seconds)}"
    end = f"{_ENDS.get(result.end, clean(result.end))}{why}"
    shown = result.figure
    if shown is None:
        yield paragraph(span("No figure: ", Tone.BAD), end, first=_IN)
        yield paragraph(run, first=_IN)
        return
    figure = span(f"{figure_text(result.headline, shown)} {sureness(shown)}", Tone.STRONG)
    yield paragraph(figure, span("" if result.believable else ", which is not to be believed", Tone.BAD), first=_IN)
    low, high = (amount(result.headline, it) for it in (shown.low, shown.high))
    yield paragraph(f"{middle(result.headline)}, 95 % interval {low} to {high}; {run}; {end}", first=_IN)


def limiting(result: Result) -> Iterator[Block]:
    """What limits it: below the figure, for who reads no further."""
    return (Item(line(words), tone=Tone.WARNING) for words in limits(result))


def accounts(result: Result) -> Iterator[Block]:
    """What a probe cost."""
    cpu = [
        f"{share:.0f} % {kind}"
        for share, kind in ((result.user_cpu_percent, "user"), (result.system_cpu_percent, "system"))
        if share is not None
    ]
    if cpu:
        yield Labelled("CPU", line(f"{', '.join(cpu)}, of one processor"), _LABEL)
    if flushes := flushes_text(result):
        yield Labelled("flushes", line(flushes), _LABEL)
    if written := written_text(result):
        yield Labelled("writes", line(written), _LABEL)
    if result.extents is not None and result.headline != "EXTENTS":
        yield Labelled("extents", line(f"{result.extents:,}"), _LABEL)


def more_left_out(result: Result) -> Iterator[Block]:
    """Windows that do not count, beside those that the headline names."""
    return (Item(line(words)) for words in more_voids(result))


def _ladder(result: Result) -> Iterator[Block]:
    """One operation's parts as a bar and in figures; what is told beside the parts is in no bar."""
    parts = result.parts_us
    shown = {name: parts[name] for name in sorted(parts, key=_place) if name not in _BESIDE}
    total = sum(one.median for one in shown.values())
    if parts:
        yield Gap()
    if total > 0:
        signs = [_sign(at, hatched=unsettled(one, total)) for at, one in enumerate(shown.values())]
        shares = zip(signs, whole_cells([one.median / total for one in shown.values()]), strict=True)
        yield DrawnLines((line(f"  {''.join(sign * cells for sign, cells in shares)}"),))
        for sign, (name, part) in zip(signs, shown.items(), strict=True):
            doubt = ", not settled: hatched" if unsettled(part, total) else ""
            words = f"{100 * part.median / total:.0f} %, {_sure(part)}{doubt}"
            yield paragraph(words, first=line(f"  {sign} {clean(name):<9}"))
    for index, (words, part) in enumerate(beside_it(result)):
        yield paragraph(f"{words}: {_sure(part)}", first=line(f"  {'' if index else 'beside it: ':<11}"), indent=15)


def _sign(at: int, *, hatched: bool) -> str:
    signs = UNICODE.hatches if hatched else UNICODE.solids
    return signs[at % len(signs)]


def _place(name: str) -> int:
    return _PARTS.index(name) if name in _PARTS else len(_PARTS)


def _sure(figure: Figure) -> str:
    return f"{time_text(figure.median)} (95 %: {time_text(figure.low)} to {time_text(figure.high)})"


def whole_cells(shares: Sequence[float], cells: int = BAR) -> list[int]:
    """Cells of a bar by shares, all of it used: what is left by rounding down goes to the largest remainders."""
    exact = [share * cells for share in shares]
    floors = [int(it) for it in exact]
    order = sorted(range(len(exact)), key=lambda at: floors[at] - exact[at])
    for at in order[: cells - sum(floors)]:
        floors[at] += 1
    return floors


def _histogram(bins: Sequence[tuple[float, int]]) -> Iterator[Block]:
    most = max((count for _, count in bins), default=0)
    if not most:
        return
    yield Gap()
    edges = [f"< {time_text(edge)}" for edge, _ in bins]
    wide = max(map(len, edges))
    bars = ["█" * round(BAR * count / most) or ("▏" if count else "") for _, count in bins]
    rows = zip(edges, bars, bins, strict=True)
    yield DrawnLines(tuple(line(f"  {edge:>{wide}} {bar:<{BAR}} {count:>10,}") for edge, bar, (_, count) in rows))


def _table(results: Sequence[Result]) -> Iterator[Block]:
    """A line for each, in the order they ran."""
    wide = max(len(clean(it.job)) for it in results)
    yield DrawnLines(tuple(line(_row(one, wide)) for one in results))
    yield Gap()
    yield paragraph(
        "In the order they ran: each answers a question of its own, so none is better than another. Alone, a job is "
        "shown beside what was published of the like.",
        first=_IN,
    )


def _row(result: Result, wide: int) -> str:
    shown = result.figure
    words = "no figure" if shown is None else f"{figure_text(result.headline, shown):<22} {sureness(shown):>9}"
    note = "doubtful" if not result.believable else "" if result.end == "settled" else result.end
    return f"  {clean(result.job):<{wide}}  {words:<32}  {note}"


_MOST_ROWS: Final = 4
"""Of one table; `docs/tables.md` has all."""


def published_elsewhere(job: Job, result: Result) -> Iterator[Block]:
    """The rows of its tables that speak of the like, with their hardware."""
    tables = tuple(elsewhere_by_table(job, result))
    if not tables:
        return
    yield Gap()
    yield paragraph("Published elsewhere, a place to look and no verdict:", first=line("  "))
    for source, wrong, rows in tables:
        yield paragraph(source.title, first=line("  - "), indent=4)
        whose = f"{published_sources()[source.seed].name}; hardware: {source.hardware}{wrong}; table {source.id}"
        yield paragraph(f"({whose})", first=line("    "), indent=5)
        for row in rows[:_MOST_ROWS]:
            yield paragraph(row.says, first=line("      "), indent=8)
