"""What is expected of faster devices, in tables: fits and classes, pairs that change places, devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.forecast.fit import NoFit
from fsadvisor.forecast.published import CLASSES, INVERSIONS
from fsadvisor.pages.document import Block, Heading, Item, Remark, Table
from fsadvisor.pages.escape import clean
from fsadvisor.pages.spans import Line, line
from fsadvisor.pages.text import listed
from fsadvisor.report.forecast_page import BASIS, CLASS_WORDS, SUB_MS, USUAL, changed, class_words, latency_words
from fsadvisor.report.probe_words import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.forecast.fit import Interval
    from fsadvisor.forecast.inversions import Pair
    from fsadvisor.forecast.study import Expected, Study, Told


def blocks(study: Study, remarks: Sequence[str] = ()) -> Iterator[Block]:
    """All of it."""
    for workload in study.workloads:
        told = study.of(workload)
        yield from (Heading(workload), fits(told), places(study, workload), *_devices(told))
    yield from (Item(line(words)) for words in (*remarks, BASIS, SUB_MS, USUAL))


def fits(told: Sequence[Told]) -> Table:
    """A row for each filesystem: C, l_sw, class today and in 2014."""
    head = ("filesystem", "C, operations/s x ms", "l_sw, ms", "R²", "class", "in 2014", "holds")
    return Table(head, tuple(_row(*_fit(it)) for it in told))


def _row(*cells: str) -> tuple[Line, ...]:
    return tuple(map(line, cells))


def _fit(one: Told) -> tuple[str, ...]:
    found, verdict = one.fit, one.verdict
    name = one.curve.filesystem
    then = CLASSES.get((one.curve.filesystem.lower(), one.curve.workload))
    today = class_words(verdict)
    before = "-" if then is None else CLASS_WORDS[then[0]] + (f", {then[1]}" if then[1] else "")
    holds = "-" if then is None else _holds(one, then[0].value)
    if isinstance(found, NoFit):
        return name, f"none: {found.why}", "-", "-", today, before, holds
    c, software = _with(found.model.c, found.c), _with(found.model.software_ms, found.software_ms)
    return name, c, software, "-" if found.r2 is None else f"{found.r2:.3f}", today, before, holds


def _holds(one: Told, then: str) -> str:
    now = one.verdict.is_class.value
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
        _row(
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


def _devices(told: Sequence[Told]) -> Iterator[Table]:
    """What kinds of devices would bring: a row each."""
    fitted = [it for it in told if it.expected]
    if fitted:
        head = ("device", "latency", *(clean(it.curve.filesystem) for it in fitted))
        rows = zip(*(it.expected for it in fitted), strict=True)
        yield Table(
            head, tuple(_row(row[0].device.name, latency_words(row[0].device), *map(_rate, row)) for row in rows)
        )


def _rate(one: Expected) -> str:
    return "-" if one.throughput is None else _with(one.throughput, one.interval)
