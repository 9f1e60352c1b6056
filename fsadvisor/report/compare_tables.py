"""A comparison in tables: who is best at what, and each workload with all its figures."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from fsadvisor.compare.ranking import Standing
from fsadvisor.pages.document import Block, Heading, Item, Prose, Remark, Table
from fsadvisor.pages.escape import clean
from fsadvisor.pages.markdown import code, plain, render
from fsadvisor.pages.spans import Line, Tone, line, span
from fsadvisor.probe.elsewhere import Elsewhere, elsewhere
from fsadvisor.report.compare_words import (
    behind,
    course,
    figure_words,
    group,
    interval,
    limits,
    promise_words,
    shares,
    side_words,
    title,
    winners,
)
from fsadvisor.report.probe_words import amount, number, sureness, time_text
from fsadvisor.rulebook.tables import errata, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.compare.matrix import Comparison, Row
    from fsadvisor.compare.ranking import Ranked
    from fsadvisor.compare.side import Side
    from fsadvisor.probe.result import Result
    from fsadvisor.report.compare_words import About

_PERCENTILES: Final = ("p50", "p95", "p99", "p99.9")
_PARTS: Final = ("data", "journal", "flush")
_MOST_ROWS: Final = 12
"""Of one published table."""


def markdown(comparison: Comparison, about: About) -> Iterator[str]:
    """The page of Markdown, with the picture where there is one."""
    yield f"# Compared: {plain(clean(title(comparison), None))}\n\n"
    yield f"{plain(clean(about.when))}. The command: {code(clean(about.command, None))}\n\n"
    if about.picture:
        address = quote(about.picture.encode("utf-8", "surrogateescape"))
        yield f"![Who is best at what]({address})\n\n"
    yield from render(blocks(comparison, about))


def blocks(comparison: Comparison, about: About) -> Iterator[Block]:
    """The tables: sides, who is best at what, each workload with all its figures, and how to read it."""
    yield from (Remark(line(span(said, Tone.STRONG))) for said in course(about))
    yield Table(("side", "what it is", "its syncs", "danger"), tuple(_side(side, about) for side in comparison.sides))
    yield Heading("Who is best at what")
    bold, slanted = span("Bold", Tone.STRONG), span("slanted", Tone.GOOD)
    legend = " ties with the best; in brackets what has no rank among others. Medians with half of their 95 % interval."
    yield Remark(line(bold, " is best, by intervals that lie apart; ", slanted, legend))
    head = ("workload", *(clean(it.name, None) for it in comparison.sides))
    yield Table(head, tuple((line(row.job.id), *map(_short, row.ranked)) for row in comparison.rows))
    yield from (Remark(line(said)) for said in winners(comparison, about))
    for row in comparison.rows:
        yield from _workload(row, about)
    if told := tuple(shares(comparison)):
        yield Heading("What a filesystem leaves of its device, and an image of its path")
        yield from (Item(line(said)) for said in told)
    yield from _wrong_in_them(comparison)
    yield Heading("How to read it")
    yield from (Item(line(said)) for said in limits(comparison, about))


def _row(*cells: str) -> tuple[Line, ...]:
    return tuple(map(line, cells))


def _side(side: Side, about: About) -> tuple[Line, ...]:
    danger = "; ".join(filter(None, (*side.dangers, side.note)))
    return _row(side.name, side_words(side, about), promise_words(side), danger)


def _wrong_in_them(comparison: Comparison) -> Iterator[Block]:
    """Why these figures differ from published ones: what is wrong with those."""
    numbers = dict.fromkeys(number for row in comparison.rows for one in _elsewhere(row) for number in one.errata)
    if numbers:
        yield Heading("What is wrong in published figures")
        yield Prose("Other hardware and another kernel apart, figures here differ from those because of this.")
        told = (errata()[it] for it in errata() if it in numbers)
        rows = tuple(_row(it.correction, it.says, it.number) for it in told)
        yield Table(("what holds", "what is published", ""), rows)


def _short(one: Ranked) -> Line:
    result = one.cell.result
    if result is None or result.figure is None:
        return ()
    told = f"{amount(result.headline, result.figure.median)} {sureness(result.figure)}"
    match one.standing:
        case Standing.BEST:
            return line(span(told, Tone.STRONG))
        case Standing.TIE:
            return line(span(told, Tone.GOOD))
        case Standing.BEHIND:
            return line(told)
    return line(f"({told})")


def _workload(row: Row, about: About) -> Iterator[Block]:
    yield from (Heading(row.job.id), Prose(row.job.title))
    head = ("side", "", "figure", "95 % interval", *_PERCENTILES, "CPU user + system", "flushes", "written", *_PARTS)
    parts = any(it.cell.result and it.cell.result.parts_us for it in row.ranked)
    wide = len(head) if parts else len(head) - len(_PARTS)
    for asked, members in row.groups():
        yield Remark(line(group(asked, about).capitalize()))
        yield Table(head[:wide], tuple(_full(it)[:wide] for it in members))
    if row.unranked:
        yield Remark(line("Not ranked"))
        yield Table(("side", "figure", "why"), tuple(map(_without_rank, row.unranked)))
    yield from _remarks(row)
    yield from _published(row)


def _full(one: Ranked) -> tuple[Line, ...]:
    result = one.cell.result
    if result is None or result.figure is None:
        return ()
    standing = "" if one.standing is Standing.ALONE else one.standing.value
    far = behind(one)
    return _row(
        one.cell.side.name,
        f"{standing}: {far}" if far else standing,
        figure_words(result),
        interval(result.headline, result.figure),
        *_accounts(result),
    )


def _accounts(result: Result) -> Iterator[str]:
    for name in _PERCENTILES:
        yield time_text(result.percentiles_us[name]) if name in result.percentiles_us else ""
    cpu = [it for it in (result.user_cpu_percent, result.system_cpu_percent) if it is not None]
    yield " + ".join(f"{it:.0f} %" for it in cpu)
    yield "" if result.flushes_per_operation is None else f"{number(result.flushes_per_operation)} per operation"
    yield "" if result.amplification is None else f"{number(result.amplification)} per byte asked"
    for name in _PARTS:
        yield time_text(result.parts_us[name].median) if name in result.parts_us else ""


def _without_rank(one: Ranked) -> tuple[Line, ...]:
    result = one.cell.result
    found = figure_words(result) if result is not None and result.figure is not None else ""
    return _row(one.cell.side.name, found, one.why)


def _remarks(row: Row) -> Iterator[Block]:
    said: dict[str, list[str]] = {}
    for one in row.ranked:
        for remark in one.cell.result.remarks if one.cell.result else ():
            said.setdefault(remark, []).append(one.cell.side.name)
    yield from (Item(line(f"{', '.join(names)}: {remark}")) for remark, names in said.items())


def _published(row: Row) -> Iterator[Block]:
    """What was published of the like, with its conditions: a place to look, and no verdict."""
    found = _elsewhere(row)
    if found:
        yield Remark(line("Published elsewhere, a place to look and no verdict:"))
    for name, rows in groupby(found, key=lambda it: it.table):
        told = list(rows)
        wrong = f"; wrong in it: {', '.join(told[0].errata)}" if told[0].errata else ""
        yield Item(line(f"{table(name).title} ({told[0].conditions}{wrong}; table {name})"))
        yield from (Item(line(it.says), level=1) for it in told[:_MOST_ROWS])


def _elsewhere(row: Row) -> tuple[Elsewhere, ...]:
    """The rows of published tables about the like, of all filesystems."""
    result = next((it.cell.result for it in row.ranked if it.cell.result is not None), None)
    return () if result is None else elsewhere(row.job, replace(result, depends={}), map(table, row.job.seeds))
