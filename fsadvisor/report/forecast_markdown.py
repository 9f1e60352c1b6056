"""What is expected of faster devices, as tables of Markdown: fits and classes, pairs that change places, devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.forecast.fit import NoFit
from fsadvisor.forecast.published import CLASSES, INVERSIONS
from fsadvisor.pages.escape import clean
from fsadvisor.pages.markdown import cell, plain, table
from fsadvisor.pages.text import listed
from fsadvisor.report.forecast_text import BASIS, CLASS_WORDS, SUB_MS, USUAL, changed, class_words, latency_words
from fsadvisor.report.probe_words import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.forecast.fit import Interval
    from fsadvisor.forecast.inversions import Pair
    from fsadvisor.forecast.study import Study, Told


def study_markdown(study: Study, remarks: Sequence[str] = ()) -> Iterator[str]:
    """All of it."""
    for workload in study.workloads:
        told = study.of(workload)
        yield f"## {plain(clean(workload))}\n\n"
        yield from fits(told)
        yield "\n"
        yield from places(study, workload)
        yield "\n"
        yield from devices(told)
        yield "\n"
    for line in (*remarks, BASIS, SUB_MS, USUAL):
        yield f"- {plain(clean(line, None))}\n"


def fits(told: Sequence[Told]) -> Iterator[str]:
    """A row for each filesystem: C, l_sw, class today and in 2014."""
    head = ("filesystem", "C, operations/s x ms", "l_sw, ms", "R²", "class", "in 2014", "holds")
    yield from table(head, (_fit_row(it) for it in told))


def _fit_row(one: Told) -> tuple[str, ...]:
    found, verdict = one.fit, one.verdict
    name = cell(clean(one.curve.filesystem))
    then = CLASSES.get((one.curve.filesystem.lower(), one.curve.workload))
    today = cell(class_words(verdict))
    before = "-" if then is None else cell(CLASS_WORDS[then[0]] + (f", {then[1]}" if then[1] else ""))
    holds = "-" if then is None else _holds(one, then[0].value)
    if isinstance(found, NoFit):
        return name, cell(f"none: {found.why}"), "-", "-", today, before, holds
    c, software = _with(found.model.c, found.c), _with(found.model.software_ms, found.software_ms)
    return name, c, software, "-" if found.r2 is None else f"{found.r2:.3f}", today, before, holds


def _holds(one: Told, then: str) -> str:
    now = one.verdict.is_class.value
    return "not known" if now == "undecided" else "yes" if now == then else "no"


def _with(value: float, interval: Interval) -> str:
    low, high = ("?" if it is None else number(it) for it in (interval.low, interval.high))
    return f"{number(value)} ({low} to {high})"


def places(study: Study, workload: str) -> Iterator[str]:
    """Pairs that change places today, those that did in 2014, and those whose fits cross, a row each."""
    pairs = {frozenset({it.first, it.second}): it for it in study.pairs if it.workload == workload}
    crossings = {frozenset({it.first, it.second}): it for it in study.crossings if it.workload == workload}
    now, then = changed(study.pairs, workload), INVERSIONS.get(workload, frozenset())
    rows = [
        (
            cell(f"{clean(pair.first)} with {clean(pair.second)}"),
            cell(_where(pair)),
            f"{number(crossings[names].device_ms)} ms" if names in crossings else "-",
            "yes" if names in then else "no",
        )
        for names, pair in pairs.items()
        if names in now | then or names in crossings
    ]
    if not rows:
        yield "No pair changes places, today or in 2014.\n"
        return
    yield from table(("pair", "changes places today", "fits cross at, which proves nothing", "in 2014"), rows)


def _where(pair: Pair) -> str:
    if pair.inversions:
        return listed(
            f"{clean(it.slow_leader)} faster at {it.slow_ms:g} ms, {clean(it.fast_leader)} at {it.fast_ms:g} ms"
            for it in pair.inversions
        )
    if not pair.apart:
        return "not known: their intervals are nowhere apart"
    return f"not proven: the same one is faster wherever they are apart, {pair.apart} of {pair.compared} latencies"


def devices(told: Sequence[Told]) -> Iterator[str]:
    """What kinds of devices would bring: a row each."""
    fitted = [it for it in told if it.expected]
    if not fitted:
        return
    head = ("device", "latency", *(cell(clean(it.curve.filesystem)) for it in fitted))
    rows: list[Iterable[str]] = []
    for at, one in enumerate(fitted[0].expected):
        rates = []
        for it in fitted:
            expected = it.expected[at]
            rates.append("-" if expected.throughput is None else _with(expected.throughput, expected.interval))
        rows.append((cell(one.device.name), latency_words(one.device), *rates))
    yield from table(head, [tuple(row) for row in rows])
