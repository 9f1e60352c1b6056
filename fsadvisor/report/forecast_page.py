"""What is expected of faster devices, as text and in tables, and where that can't be trusted.

Curves as a picture of characters, for terminals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.forecast import NoFit
from fsadvisor.measure.forecast.analysis import WARN_BELOW_MS
from fsadvisor.measure.forecast.classes import CLASSES, INVERSIONS, SOURCE, Class
from fsadvisor.pages.document import Block, DrawnLines, Gap, Heading, Item, Remark, Table, paragraph, row_of
from fsadvisor.pages.glyphs import Line, clean, line
from fsadvisor.pages.text import WIDTH
from fsadvisor.pages.values import counted, listed
from fsadvisor.report.probe_figures import figure_text, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.forecast import Interval, Model
    from fsadvisor.measure.forecast.analysis import Alone, Bounds, CurveAnalysis, DeviceKind, Expected, Pair, Study
    from fsadvisor.measure.forecast.classes import Verdict


SIGNS: Final = "exbfnabcdghijklm"
"""A letter for each curve: ext4, XFS, Btrfs, F2FS and NILFS2 have their own, others the next that is free."""
_MODEL: Final = "·"
_MANY: Final = "*"


def letters(names: Sequence[str]) -> dict[str, str]:
    """A sign for each name: its first letter where that is free."""
    signs: dict[str, str] = {}
    for name in names:
        wanted = name[:1].lower()
        free = [sign for sign in (wanted, *SIGNS) if sign.isalpha() and sign.isascii() and sign not in signs.values()]
        signs[name] = free[0] if free else "?"
    return signs


def plot(analyses: Sequence[CurveAnalysis], columns: int, rows: int = 16) -> Iterator[str]:
    """Throughput over device latency, both from 0: letters where it was measured, dots where it is expected."""
    slowest = max((level.device_ms for it in analyses for level in it.curve.levels), default=0.0)
    most = max((level.throughput for it in analyses for level in it.curve.levels), default=0.0)
    if slowest <= 0 or most <= 0:
        return
    cells = [[" "] * columns for _ in range(rows)]
    for analysis in analyses:
        if not isinstance(analysis.fit, NoFit):
            _draw_model(cells, analysis.fit.model, slowest, most)
    signs = letters([it.curve.filesystem for it in analyses])
    for analysis in analyses:
        for level in analysis.curve.levels:
            column = round((columns - 1) * level.device_ms / slowest)
            row = rows - 1 - round((rows - 1) * level.throughput / most)
            taken = cells[row][column]
            sign = signs[analysis.curve.filesystem]
            cells[row][column] = sign if taken in (" ", _MODEL, sign) else _MANY
    wide = len(f"{most:,.0f}")
    for index, row_cells in enumerate(cells):
        label = f"{most:,.0f}" if index == 0 else "0" if index == rows - 1 else ""
        yield f"{label:>{wide}} │{''.join(row_cells).rstrip()}".rstrip()
    yield f"{'':>{wide}} └{'─' * columns}"
    end = f"{slowest:.3g} ms"
    yield f"{'':>{wide}}  0{end:>{columns - 1}}"


def _draw_model(cells: list[list[str]], model: Model, slowest: float, most: float) -> None:
    columns, rows = len(cells[0]), len(cells)
    for column in range(columns):
        expected = model.throughput(slowest * column / (columns - 1))
        if expected is not None and expected <= most:
            cells[rows - 1 - round((rows - 1) * expected / most)][column] = _MODEL


_IN: Final = line("  ")
_FURTHER: Final = line("    ")

CLASS_WORDS: Final = {
    Class.I: "class I",
    Class.II: "class II",
    Class.III: "class III",
    Class.FOLLOWS: "no class",
    Class.FALLS: "falls",
    Class.UNDECIDED: "class not known",
}
CLASS_MEANS: Final = {
    Class.I: "as expected down to 1 ms, and worse below",
    Class.II: "better than expected",
    Class.III: "worse than expected from some latency on, at the latest at 1 ms",
    Class.FALLS: "slower as the device got faster",
}
"""Of the classes that the paper gives."""
USUAL: Final = (
    "~: a latency that is usual for such devices, and verified by nobody here; any one may differ by several times."
)
SUB_MS: Final = (
    "Below 1 ms the paper found the expectation arbitrarily inaccurate: software decides there, and it does not get "
    "faster with the device. Take figures for such devices as the most to hope for."
)
BASIS: Final = (
    "throughput = C / (l_dev + l_sw): fitted as time per operation, a straight line in the device's latency. Each run "
    "is weighted by its throughput squared; intervals are of 95 %."
)


def document(study: Study, source: str, remarks: Sequence[str], alone: Sequence[Alone]) -> Iterator[Block]:
    """The study, what only bounds can be told of, and what a reader has to know."""
    yield paragraph(f"What a faster device would bring: {clean(source)}")
    yield Gap()
    if study.curves:
        yield from _study(study)
    for one in alone:
        yield from _alone(one)
    yield from (Item(line(words)) for words in remarks)


def _alone(bound: Alone) -> Iterator[Block]:
    """Bounds from one latency."""
    rate = figure_text(bound.headline, bound.throughput)
    yield paragraph(
        f"{clean(bound.job)} on {clean(bound.filesystem)}: {rate}, where the device took {number(bound.device_ms)} ms "
        f"for a read or write, flushes left out ({counted(bound.runs, 'run')} kept, the newest counts)",
        indent=2,
    )
    yield paragraph(
        "At one latency C and l_sw cannot be told apart. If the model holds, another device brings as many as "
        "now where all of the time is the software's. Where none of it is, it brings as many times more or fewer as it "
        "is faster or slower. Operations/s:",
        first=_IN,
    )
    yield DrawnLines(tuple(map(_bounds, bound.others)))
    published = CLASSES.get((bound.filesystem.lower(), bound.job))
    if published is not None:
        more = published[1] or CLASS_MEANS[published[0]]
        yield Item(line(f"in 2014: {CLASS_WORDS[published[0]]}, {more} ({SOURCE})"))
    then = sorted(other for pair in INVERSIONS.get(bound.job, ()) if bound.filesystem in pair for other in pair)
    then = [other for other in then if other != bound.filesystem]
    if then:
        yield Item(line(f"in 2014 it changed places with {listed(then)} as devices got faster"))
    yield Item(line(SUB_MS))
    yield Item(line(USUAL))
    yield Item(line("To fit it: probe the same job on a device of another latency, or fsadvisor forecast --sweep."))
    yield Gap()


def _bounds(other: tuple[DeviceKind, Bounds]) -> Line:
    device, bounds = other
    mark = "; below 1 ms" if device.latency_ms < WARN_BELOW_MS else ""
    factors = f"{number(bounds.least)} to {number(bounds.most)}{mark}"
    return line(f"      {device.name:<24}{latency_words(device):>10}  {factors}")


def class_words(verdict: Verdict) -> str:
    """'class III: worse than expected from 2 ms on'."""
    leans = "" if verdict.leans is None else f"; its middle values alone would make it {CLASS_WORDS[verdict.leans]}"
    return f"{CLASS_WORDS[verdict.is_class]}: {verdict.why}{leans}"


def _study(study: Study) -> Iterator[Block]:
    """Each workload: its picture, each filesystem's fit and class, pairs that change places; then what it rests on."""
    for index, workload in enumerate(study.workloads):
        if index:
            yield Gap()
        analyses = study.of(workload)
        yield from (paragraph(clean(workload)), Gap())
        yield from _picture(analyses)
        for analysis in analyses:
            yield Gap()
            yield from _curve(analysis)
        if len(analyses) > 1:
            yield Gap()
            yield from _places(study, workload)
    yield Gap()
    yield Item(line(BASIS))
    if any(it.expected for it in study.curves):
        yield Item(line(SUB_MS))
        yield Item(line(USUAL))


def _picture(analyses: Sequence[CurveAnalysis]) -> Iterator[Block]:
    lines = tuple(plot(analyses, columns=WIDTH - 16))
    if not lines:
        return
    signs = letters([it.curve.filesystem for it in analyses])
    key = ", ".join(f"{sign} {clean(name)}" for name, sign in signs.items())
    yield DrawnLines(tuple(line(f"  {one}") for one in ("operations/s", *lines)))
    yield paragraph(f"by latency of the device; {key}; * several; · expected", first=_IN)


def _curve(analysis: CurveAnalysis) -> Iterator[Block]:
    fit, verdict = analysis.fit, analysis.verdict
    runs = counted(len(analysis.curve.points), "run")
    latencies = counted(len(analysis.curve.levels), "latency", "latencies")
    yield paragraph(clean(analysis.curve.filesystem), first=_IN)
    if isinstance(fit, NoFit):
        yield paragraph(f"no fit from {runs} at {latencies}: {fit.why}", first=_FURTHER)
    else:
        c = f"C = {number(fit.model.c)} operations/s x ms{_between(fit.c)}"
        software = f"l_sw = {number(fit.model.software_ms)} ms{_between(fit.software_ms, 'ms')}"
        how = "exactly, from two runs" if fit.r2 is None else f"{runs} at {latencies}, R² {fit.r2:.3f}"
        yield paragraph(f"{c}; {software}; {how}", first=_FURTHER)
        if fit.model.software_ms < 0:
            no_time = "l_sw below 0 ms is no time: throughput rises more than the device's latency explains."
            yield paragraph(no_time, first=_FURTHER)
    yield paragraph(class_words(verdict), first=_FURTHER)
    yield from _published(analysis)
    if analysis.expected:
        yield from _devices(analysis.expected)


def _between(interval: Interval, unit: str = "") -> str:
    """' (1.2 to 1.4)', '' where the data tell no interval at all."""
    if interval.low is None and interval.high is None:
        return ", interval not known"
    low = "?" if interval.low is None else number(interval.low)
    high = "?" if interval.high is None else number(interval.high)
    return f" ({low} to {high}{f' {unit}' if unit else ''})"


def _published(analysis: CurveAnalysis) -> Iterator[Block]:
    published = CLASSES.get((analysis.curve.filesystem.lower(), analysis.curve.workload))
    if published is not None:
        more = published[1] or CLASS_MEANS[published[0]]
        yield paragraph(f"in 2014: {CLASS_WORDS[published[0]]}, {more}", first=_FURTHER)


def _devices(expected: Sequence[Expected]) -> Iterator[Block]:
    for point in expected:
        rate = "no answer" if point.throughput is None else f"{number(point.throughput)}/s{_between(point.interval)}"
        marks = [
            *(["below 1 ms"] if point.below_a_millisecond else []),
            *(["not measured there"] if point.outside else []),
        ]
        latency = latency_words(point.device)
        first = f"      {point.device.name:<24}{latency:>10}  "
        yield paragraph(f"{rate}{f'; {listed(marks)}' if marks else ''}", first=line(first))


def latency_words(device: DeviceKind) -> str:
    """'~8 ms' where it is usual only."""
    return f"{'' if device.verified else '~'}{device.latency_ms:g} ms"


def _places(study: Study, workload: str) -> Iterator[Block]:
    pairs = [it for it in study.pairs if it.workload == workload]
    changes = [found for pair in pairs for found in pair.inversions]
    for one in changes:
        slow = f"{clean(one.slow_leader)} is faster at {one.slow_ms:g} ms"
        fast = f"{clean(one.fast_leader)} at {one.fast_ms:g} ms"
        yield Item(line(f"Change of places: {slow}, {fast}; at both the intervals are apart."))
    if not changes:
        yield Item(line("No change of places that the intervals prove."))
    blind = [it for it in pairs if not it.apart]
    if blind:
        names = listed(f"{clean(it.first)} with {clean(it.second)}" for it in blind)
        yield Item(line(f"Nowhere apart, so that neither is known to be faster: {names}."))
    then = INVERSIONS.get(workload)
    if then:
        yield Item(line(f"The paper's: {listed(' with '.join(it) for it in sorted(map(sorted, then)))} ({SOURCE})."))


def changed(pairs: Sequence[Pair], workload: str) -> frozenset[frozenset[str]]:
    """The pairs that change places under a workload, as the paper's table has them."""
    return frozenset(frozenset({it.first, it.second}) for it in pairs if it.workload == workload and it.inversions)


def blocks(study: Study, remarks: Sequence[str] = ()) -> Iterator[Block]:
    """All of it."""
    for workload in study.workloads:
        told = study.of(workload)
        yield from (Heading(workload), fits(told), places(study, workload), *_devices_table(told))
    yield from (Item(line(words)) for words in (*remarks, BASIS, SUB_MS, USUAL))


def fits(analyses: Sequence[CurveAnalysis]) -> Table:
    """A row for each filesystem: C, l_sw, class today and in 2014."""
    head = ("filesystem", "C, operations/s x ms", "l_sw, ms", "R²", "class", "in 2014", "holds")
    return Table(head, tuple(row_of(*_fit(it)) for it in analyses))


def _fit(analysis: CurveAnalysis) -> tuple[str, ...]:
    fit, verdict = analysis.fit, analysis.verdict
    name = analysis.curve.filesystem
    then = CLASSES.get((analysis.curve.filesystem.lower(), analysis.curve.workload))
    today = class_words(verdict)
    before = "-" if then is None else CLASS_WORDS[then[0]] + (f", {then[1]}" if then[1] else "")
    holds = "-" if then is None else _holds(analysis, then[0].value)
    if isinstance(fit, NoFit):
        return name, f"none: {fit.why}", "-", "-", today, before, holds
    c, software = _with(fit.model.c, fit.c), _with(fit.model.software_ms, fit.software_ms)
    return name, c, software, "-" if fit.r2 is None else f"{fit.r2:.3f}", today, before, holds


def _holds(analysis: CurveAnalysis, then: str) -> str:
    now = analysis.verdict.is_class.value
    return "not known" if now == "undecided" else "yes" if now == then else "no"


def _with(value: float, interval: Interval) -> str:
    low, high = ("?" if it is None else number(it) for it in (interval.low, interval.high))
    return f"{number(value)} ({low} to {high})"


def places(study: Study, workload: str) -> Table | Remark:
    """Pairs that change places today, those that did in 2014, and those whose fits cross, a row each."""
    pairs = {frozenset({it.first, it.second}): it for it in study.pairs if it.workload == workload}
    crossings = {frozenset({it.first, it.second}): it for it in study.crossings if it.workload == workload}
    now, then = changed(study.pairs, workload), INVERSIONS.get(workload, frozenset())
    rows = [
        row_of(
            f"{pair.first} with {pair.second}",
            _where(pair),
            f"{number(crossings[names].device_ms)} ms" if names in crossings else "-",
            "yes" if names in then else "no",
        )
        for names, pair in pairs.items()
        if names in now | then or names in crossings
    ]
    if not rows:
        return Remark(line("No pair changes places, today or in 2014."))
    return Table(("pair", "changes places today", "fits cross at, which proves nothing", "in 2014"), tuple(rows))


def _where(pair: Pair) -> str:
    if pair.inversions:
        return listed(
            f"{clean(it.slow_leader)} faster at {it.slow_ms:g} ms, {clean(it.fast_leader)} at {it.fast_ms:g} ms"
            for it in pair.inversions
        )
    if not pair.apart:
        return "not known: their intervals are nowhere apart"
    return f"not proven: the same one is faster wherever they are apart, {pair.apart} of {pair.compared} latencies"


def _devices_table(analyses: Sequence[CurveAnalysis]) -> Iterator[Table]:
    """What kinds of devices would bring: a row each."""
    fitted = [it for it in analyses if it.expected]
    if fitted:
        head = ("device", "latency", *(clean(it.curve.filesystem) for it in fitted))
        rows = zip(*(it.expected for it in fitted), strict=True)
        yield Table(
            head, tuple(row_of(row[0].device.name, latency_words(row[0].device), *map(_rate, row)) for row in rows)
        )


def _rate(expected: Expected) -> str:
    return "-" if expected.throughput is None else _with(expected.throughput, expected.interval)
