"""A comparison as a page of GitHub's Markdown."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from fsadvisor.compare.ranking import Standing
from fsadvisor.pages.escape import clean
from fsadvisor.pages.markdown import cell, code, plain
from fsadvisor.pages.markdown import table as rows_of
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
    from fsadvisor.probe.result import Result
    from fsadvisor.report.compare_words import About

_PERCENTILES: Final = ("p50", "p95", "p99", "p99.9")
_PARTS: Final = ("data", "journal", "flush")
_MOST_ROWS: Final = 12
"""Of one published table."""


def markdown(comparison: Comparison, about: About) -> Iterator[str]:
    """The page."""
    yield f"# Compared: {_said(title(comparison))}\n\n"
    yield f"{_said(about.when)}. The command: {code(clean(about.command, None))}\n\n"
    for said in course(about):
        yield f"**{_said(said)}**\n\n"
    if about.picture:
        address = quote(about.picture.encode("utf-8", "surrogateescape"))
        yield f"![Who is best at what]({address})\n\n"
    yield from _sides(comparison, about)
    yield from _matrix(comparison, about)
    for row in comparison.rows:
        yield from _workload(row, about)
    told = tuple(shares(comparison))
    if told:
        yield "\n## What a filesystem leaves of its device, and an image of its path\n\n"
        yield from (f"- {_said(said)}\n" for said in told)
    yield from _wrong_in_them(comparison)
    yield "\n## How to read it\n\n"
    yield from (f"- {_said(said)}\n" for said in limits(comparison, about))


def _wrong_in_them(comparison: Comparison) -> Iterator[str]:
    """Why these figures differ from published ones: what is wrong with those."""
    numbers = dict.fromkeys(number for row in comparison.rows for one in _elsewhere(row) for number in one.errata)
    if not numbers:
        return
    yield "\n## What is wrong in published figures\n\n"
    yield "Other hardware and another kernel apart, figures here differ from those because of this.\n\n"
    told = (errata()[it] for it in errata() if it in numbers)
    yield from rows_of(
        ("what holds", "what is published", ""), ([_cell(it.correction), _cell(it.says), it.number] for it in told)
    )


def _said(text: str) -> str:
    return plain(clean(text, None))


def _cell(text: str) -> str:
    return cell(clean(text, None))


def _sides(comparison: Comparison, about: About) -> Iterator[str]:
    told = (
        (side.name, side_words(side, about), promise_words(side), "; ".join(filter(None, (*side.dangers, side.note))))
        for side in comparison.sides
    )
    yield from rows_of(("side", "what it is", "its syncs", "danger"), (list(map(_cell, it)) for it in told))


def _matrix(comparison: Comparison, about: About) -> Iterator[str]:
    yield "\n## Who is best at what\n\n"
    yield "**Bold** is best, by intervals that lie apart; *slanted* ties with the best; in brackets what has no rank "
    yield "among others. Medians with half of their 95 % interval.\n\n"
    head = ["workload", *(_cell(it.name) for it in comparison.sides)]
    yield from rows_of(head, ([row.job.id, *map(_short, row.ranked)] for row in comparison.rows))
    for said in winners(comparison, about):
        yield f"\n{_said(said)}\n"


def _short(one: Ranked) -> str:
    result = one.cell.result
    if result is None or result.figure is None:
        return ""
    told = _cell(f"{amount(result.headline, result.figure.median)} {sureness(result.figure)}")
    match one.standing:
        case Standing.BEST:
            return f"**{told}**"
        case Standing.TIE:
            return f"*{told}*"
        case Standing.BEHIND:
            return told
    return f"({told})"


def _workload(row: Row, about: About) -> Iterator[str]:
    yield f"\n## {row.job.id}\n\n{_said(row.job.title)}\n\n"
    head = ("side", "", "figure", "95 % interval", *_PERCENTILES, "CPU user + system", "flushes", "written", *_PARTS)
    parts = any(it.cell.result and it.cell.result.parts_us for it in row.ranked)
    wide = len(head) if parts else len(head) - len(_PARTS)
    for asked, members in row.groups():
        yield f"{_said(group(asked, about)).capitalize()}\n\n"
        yield from rows_of(head[:wide], (_full(it)[:wide] for it in members))
        yield "\n"
    if row.unranked:
        yield "Not ranked\n\n"
        yield from rows_of(("side", "figure", "why"), map(_without_rank, row.unranked))
    yield from _remarks(row)
    yield from _seeds(row)


def _full(one: Ranked) -> list[str]:
    result = one.cell.result
    if result is None or result.figure is None:
        return []
    standing = "" if one.standing is Standing.ALONE else one.standing.value
    far = behind(one)
    words = (
        one.cell.side.name,
        f"{standing}: {far}" if far else standing,
        figure_words(result),
        interval(result.headline, result.figure),
        *_accounts(result),
    )
    return [_cell(it) for it in words]


def _accounts(result: Result) -> Iterator[str]:
    for name in _PERCENTILES:
        yield time_text(result.percentiles_us[name]) if name in result.percentiles_us else ""
    cpu = [it for it in (result.user_cpu_percent, result.system_cpu_percent) if it is not None]
    yield " + ".join(f"{it:.0f} %" for it in cpu)
    yield "" if result.flushes_per_operation is None else f"{number(result.flushes_per_operation)} per operation"
    yield "" if result.amplification is None else f"{number(result.amplification)} per byte asked"
    for name in _PARTS:
        yield time_text(result.parts_us[name].median) if name in result.parts_us else ""


def _without_rank(one: Ranked) -> list[str]:
    result = one.cell.result
    found = figure_words(result) if result is not None and result.figure is not None else ""
    return [_cell(it) for it in (one.cell.side.name, found, one.why)]


def _remarks(row: Row) -> Iterator[str]:
    said: dict[str, list[str]] = {}
    for one in row.ranked:
        for remark in one.cell.result.remarks if one.cell.result else ():
            said.setdefault(remark, []).append(one.cell.side.name)
    if said:
        yield "\n"
    for remark, names in said.items():
        yield f"- {_said(', '.join(names))}: {_said(remark)}\n"


def _seeds(row: Row) -> Iterator[str]:
    """What was published of the like, with its conditions: a place to look, and no verdict."""
    found = _elsewhere(row)
    if found:
        yield "\nPublished elsewhere, a place to look and no verdict:\n\n"
    for name, rows in groupby(found, key=lambda it: it.table):
        told = list(rows)
        wrong = f"; wrong in it: {', '.join(told[0].errata)}" if told[0].errata else ""
        yield f"- {_said(f'{table(name).title} ({told[0].conditions}{wrong}; table {name})')}\n"
        yield from (f"  - {_said(it.says)}\n" for it in told[:_MOST_ROWS])


def _elsewhere(row: Row) -> tuple[Elsewhere, ...]:
    """The rows of published tables about the like, of all filesystems."""
    result = next((it.cell.result for it in row.ranked if it.cell.result is not None), None)
    return () if result is None else elsewhere(row.job, replace(result, depends={}), map(table, row.job.seeds))
