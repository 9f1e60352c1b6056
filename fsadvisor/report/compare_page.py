"""A comparison, as text and in tables: who is best at what, and each workload with all its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from msgspec.structs import replace

from fsadvisor.measure.compare.matrix import Standing
from fsadvisor.pages.document import (
    Block,
    DrawnLines,
    Gap,
    Heading,
    Item,
    Labelled,
    Prose,
    Remark,
    Table,
    paragraph,
    row_of,
)
from fsadvisor.pages.glyphs import Line, Tone, clean, line, span, width
from fsadvisor.pages.markdown import code, plain, render
from fsadvisor.pages.values import counted
from fsadvisor.report.compare_figures import (
    LEGEND,
    MARKS,
    behind,
    figure_words,
    group,
    interruptions,
    interval,
    limits,
    promise_words,
    shares,
    side_words,
    title,
    winners,
)
from fsadvisor.report.probe_figures import amount, number, sureness, time_text
from fsadvisor.report.probe_page import published_elsewhere as beside
from fsadvisor.report.yardsticks import elsewhere_by_table
from fsadvisor.rulebook.tables import errata

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fsadvisor.measure.compare import FilesystemChoice, Side
    from fsadvisor.measure.compare.matrix import Comparison, Ranked, WorkloadRow
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.report.compare_figures import Circumstances
    from fsadvisor.report.yardsticks import TableRows

_CELL: Final = 4
_PERCENTILES: Final = ("p50", "p99", "p99.9")
_PARTS: Final = ("data", "journal", "flush")
_NAME: Final = 18


def before(names: Sequence[str], jobs: int, image_folder: str) -> Iterator[Block]:
    """What is about to be done, before it is."""
    yield paragraph(f"{counted(jobs, 'job')} on {counted(len(names), 'side')} in turn")
    yield Labelled("sides", line(", ".join(clean(it) for it in names)), 8)
    if image_folder:
        yield Labelled(
            "images", line(f"without names on {clean(image_folder)}, mounted where nobody else sees them"), 8
        )


def listing(choices: Mapping[str, FilesystemChoice], usual: Sequence[str], jobs: Mapping[str, Job]) -> Iterator[Block]:
    """What can be made, and by which jobs it is compared where nobody says."""
    yield paragraph("filesystems in images")
    for name, choice in choices.items():
        yield Labelled(name, line(choice.says), 12)
        told = ", ".join((*choice.form.mkfs, *choice.form.options))
        if told:
            yield paragraph(told, first=line(" " * 14))
        for danger in choice.dangers:
            yield paragraph(f"danger: {danger}", first=line(" " * 14))
    yield from (Gap(), paragraph("jobs (fsadvisor probe --list has all)"))
    for name in usual:
        yield Labelled(name, line(jobs[name].title), 18)


def document(comparison: Comparison, about: Circumstances) -> Iterator[Block]:
    """All of it."""
    yield paragraph(f"{title(comparison)}; {clean(about.when)}")
    for sentence in interruptions(about):
        yield paragraph(sentence)
    yield from _sides(comparison, about)
    yield from _matrix(comparison, about)
    for row in comparison.rows:
        yield from _workload(row, about)
    parts_left = tuple(shares(comparison))
    if parts_left:
        yield from _title("What a filesystem leaves of its device, and an image of its path")
    for sentence in parts_left:
        yield Item(line(sentence))
    yield from _title("How to read it")
    for sentence in limits(comparison, about):
        yield Item(line(sentence))
    yield paragraph(f"`{about.command}`", first=line("  again: "))


def _title(words: str) -> Iterator[Block]:
    yield from (Gap(), paragraph(span(words, Tone.TITLE)))


def _lines(*lines: str, indent: int) -> DrawnLines:
    return DrawnLines(tuple(line(" " * indent + one) for one in lines))


def _sides(comparison: Comparison, about: Circumstances) -> Iterator[Block]:
    yield from _title("Sides")
    for at, side in enumerate(comparison.sides, 1):
        yield paragraph(f"{clean(side.name)}: {side_words(side, about)}", first=line(f" {at:>2}  "))
        for said in (promise_words(side), *(f"danger: {it}" for it in side.dangers), side.note):
            if said:
                yield paragraph(said, first=line("     - "))


def _matrix(comparison: Comparison, about: Circumstances) -> Iterator[Block]:
    yield from _title("Who is best at what")
    heads = "".join(f"{at:>{_CELL}}" for at in range(1, len(comparison.sides) + 1))
    rows = [(row.job.id, "".join(f"{MARKS[it.standing]:>{_CELL}}" for it in row.ranked)) for row in comparison.rows]
    yield _lines(*(f"{name:<{_NAME}}{marks}" for name, marks in [("", heads), *rows]), *LEGEND, indent=2)
    for said in winners(comparison, about):
        yield Gap()
        yield paragraph(said)


def _workload(row: WorkloadRow, about: Circumstances) -> Iterator[Block]:
    yield Gap()
    yield paragraph(f"{row.job.id}: {row.job.title}", indent=2)
    for asked, members in row.groups():
        yield paragraph(group(asked, about), first=line("  "))
        for ranked in members:
            yield from _member(ranked)
    if row.unranked:
        yield paragraph("not ranked", first=line("  "))
    for ranked in row.unranked:
        shown = _shown(ranked)
        doubtful = f" ({figure_words(shown)})" if shown else ""
        yield paragraph(f"{clean(ranked.cell.side.name)}: {ranked.why}{doubtful}", first=line("    "), indent=6)
    results = [(it.cell.side.name, found) for it in row.ranked if (found := _shown(it))]
    yield from _accounts(results)
    yield from _parts(results)
    yield from _remarks(results)
    if results:
        yield from beside(row.job, replace(results[0][1], depends={}))


def _shown(ranked: Ranked) -> Result | None:
    result = ranked.cell.result
    return result if result is not None and result.figure is not None else None


def _member(ranked: Ranked) -> Iterator[Block]:
    result = _shown(ranked)
    if result is None or result.figure is None:
        return
    figure = f"{figure_words(result)}, {interval(result.headline, result.figure)}"
    far = f"; {behind(ranked)}" if behind(ranked) else ""
    unsafe = "; dangerous" if ranked.cell.side.dangers else ""
    standing = "" if ranked.standing is Standing.ALONE else ranked.standing.value
    name = f"    {standing:<8}{clean(ranked.cell.side.name)}: "
    yield paragraph(f"{figure}{far}{unsafe}", first=line(name), indent=14)


def _accounts(results: Sequence[tuple[str, Result]]) -> Iterator[Block]:
    """A line of figures for each side that has any."""
    lines = [(_fit(name), _account(it)) for name, it in results]
    if not any(any(cells) for _, cells in lines):
        return
    head = (*_PERCENTILES, "CPU u+s", "flushes", "written")
    yield from (Gap(), _lines(_cells(" " * _NAME, head), *(_cells(*one) for one in lines), indent=4))


def _cells(name: str, cells: Sequence[str]) -> str:
    return name + "".join(f"{it:>9}" for it in cells)


def _fit(name: str) -> str:
    shown = clean(name)
    while width(shown) > _NAME - 1:
        shown = shown[:-1]
    return shown + " " * (_NAME - width(shown))


def _account(result: Result) -> tuple[str, ...]:
    """Percentiles, the processor's share, flushes per operation, bytes written per byte asked."""
    times = [time_text(result.percentiles_us[it]) if it in result.percentiles_us else "" for it in _PERCENTILES]
    shares_ = (result.user_cpu_percent, result.system_cpu_percent)
    cpu = "" if None in shares_ else "+".join(f"{it or 0:.0f}" for it in shares_) + " %"
    flushes = "" if result.flushes_per_operation is None else number(result.flushes_per_operation)
    wrote = "" if result.amplification is None else f"{number(result.amplification)} x"
    return (*times, cpu, flushes, wrote)


def _parts(results: Sequence[tuple[str, Result]]) -> Iterator[Block]:
    """One fsync taken apart."""
    split = [(name, it) for name, it in results if any(part in it.parts_us for part in _PARTS)]
    if not split:
        return
    rows = [_cells(_fit(name), [_part(result, it) for it in _PARTS]) for name, result in split]
    yield from (Gap(), _lines(_cells(f"{'one fsync':<{_NAME}}", _PARTS), *rows, indent=4))


def _part(result: Result, name: str) -> str:
    return time_text(result.parts_us[name].median) if name in result.parts_us else ""


def _remarks(results: Sequence[tuple[str, Result]]) -> Iterator[Block]:
    """What a reader has to know, once for all that it is said of."""
    names_of: dict[str, list[str]] = {}
    for name, result in results:
        for remark in result.remarks:
            names_of.setdefault(remark, []).append(name)
    if names_of:
        yield Gap()
    for remark, names in names_of.items():
        yield Item(line(f"{', '.join(map(clean, names))}: {remark}"))


_ALL_PERCENTILES: Final = ("p50", "p95", "p99", "p99.9")

_MOST_ROWS: Final = 12
"""Of one published table."""


def markdown(comparison: Comparison, about: Circumstances) -> Iterator[str]:
    """The page of Markdown, with the picture where there is one."""
    yield f"# Compared: {plain(clean(title(comparison), None))}\n\n"
    yield f"{plain(clean(about.when))}. The command: {code(clean(about.command, None))}\n\n"
    if about.picture:
        address = quote(about.picture.encode("utf-8", "surrogateescape"))
        yield f"![Who is best at what]({address})\n\n"
    yield from render(blocks(comparison, about))


def blocks(comparison: Comparison, about: Circumstances) -> Iterator[Block]:
    """The tables: sides, who is best at what, each workload with all its figures, and how to read it."""
    yield from (Remark(line(span(said, Tone.STRONG))) for said in interruptions(about))
    yield Table(("side", "what it is", "its syncs", "danger"), tuple(_side(side, about) for side in comparison.sides))
    yield Heading("Who is best at what")
    bold, slanted = span("Bold", Tone.STRONG), span("slanted", Tone.GOOD)
    legend = " ties with the best; in brackets what has no rank among others. Medians with half of their 95 % interval."
    yield Remark(line(bold, " is best, by intervals that lie apart; ", slanted, legend))
    head = ("workload", *(clean(it.name, None) for it in comparison.sides))
    yield Table(head, tuple((line(row.job.id), *map(_short, row.ranked)) for row in comparison.rows))
    yield from (Remark(line(said)) for said in winners(comparison, about))
    for row in comparison.rows:
        yield from _workload_table(row, about)
    if told := tuple(shares(comparison)):
        yield Heading("What a filesystem leaves of its device, and an image of its path")
        yield from (Item(line(said)) for said in told)
    yield from _wrong_in_them(comparison)
    yield Heading("How to read it")
    yield from (Item(line(said)) for said in limits(comparison, about))


def _side(side: Side, about: Circumstances) -> tuple[Line, ...]:
    danger = "; ".join(filter(None, (*side.dangers, side.note)))
    return row_of(side.name, side_words(side, about), promise_words(side), danger)


def _wrong_in_them(comparison: Comparison) -> Iterator[Block]:
    """Why these figures differ from published ones: what is wrong with those."""
    listed = (one for row in comparison.rows for table in _elsewhere(row) for one in table.rows)
    numbers = {number for one in listed for number in one.errata}
    if numbers:
        yield Heading("What is wrong in published figures")
        yield Prose("Other hardware and another kernel apart, figures here differ from those because of this.")
        told = (errata()[it] for it in errata() if it in numbers)
        rows = tuple(row_of(it.correction, it.says, it.number) for it in told)
        yield Table(("what holds", "what is published", ""), rows)


def _short(ranked: Ranked) -> Line:
    result = ranked.cell.result
    if result is None or result.figure is None:
        return ()
    figure = f"{amount(result.headline, result.figure.median)} {sureness(result.figure)}"
    match ranked.standing:
        case Standing.BEST:
            return line(span(figure, Tone.STRONG))
        case Standing.TIE:
            return line(span(figure, Tone.GOOD))
        case Standing.BEHIND:
            return line(figure)
    return line(f"({figure})")


def _workload_table(row: WorkloadRow, about: Circumstances) -> Iterator[Block]:
    yield from (Heading(row.job.id), Prose(row.job.title))
    head = (
        "side",
        "",
        "figure",
        "95 % interval",
        *_ALL_PERCENTILES,
        "CPU user + system",
        "flushes",
        "written",
        *_PARTS,
    )
    parts = any(it.cell.result and it.cell.result.parts_us for it in row.ranked)
    wide = len(head) if parts else len(head) - len(_PARTS)
    for asked, members in row.groups():
        yield Remark(line(group(asked, about).capitalize()))
        yield Table(head[:wide], tuple(_full(it)[:wide] for it in members))
    if row.unranked:
        yield Remark(line("Not ranked"))
        yield Table(("side", "figure", "why"), tuple(map(_without_rank, row.unranked)))
    yield from _remark_items(row)
    yield from _published(row)


def _full(ranked: Ranked) -> tuple[Line, ...]:
    result = ranked.cell.result
    if result is None or result.figure is None:
        return ()
    standing = "" if ranked.standing is Standing.ALONE else ranked.standing.value
    far = behind(ranked)
    return row_of(
        ranked.cell.side.name,
        f"{standing}: {far}" if far else standing,
        figure_words(result),
        interval(result.headline, result.figure),
        *_accounts_cell(result),
    )


def _accounts_cell(result: Result) -> Iterator[str]:
    for name in _ALL_PERCENTILES:
        yield time_text(result.percentiles_us[name]) if name in result.percentiles_us else ""
    cpu = [it for it in (result.user_cpu_percent, result.system_cpu_percent) if it is not None]
    yield " + ".join(f"{it:.0f} %" for it in cpu)
    yield "" if result.flushes_per_operation is None else f"{number(result.flushes_per_operation)} per operation"
    yield "" if result.amplification is None else f"{number(result.amplification)} per byte asked"
    for name in _PARTS:
        yield time_text(result.parts_us[name].median) if name in result.parts_us else ""


def _without_rank(ranked: Ranked) -> tuple[Line, ...]:
    result = ranked.cell.result
    figure = figure_words(result) if result is not None and result.figure is not None else ""
    return row_of(ranked.cell.side.name, figure, ranked.why)


def _remark_items(row: WorkloadRow) -> Iterator[Block]:
    names_of: dict[str, list[str]] = {}
    for ranked in row.ranked:
        for remark in ranked.cell.result.remarks if ranked.cell.result else ():
            names_of.setdefault(remark, []).append(ranked.cell.side.name)
    yield from (Item(line(f"{', '.join(names)}: {remark}")) for remark, names in names_of.items())


def _published(row: WorkloadRow) -> Iterator[Block]:
    """What was published of the like, with its conditions: a place to look, and no verdict."""
    tables = tuple(_elsewhere(row))
    if tables:
        yield Remark(line("Published elsewhere, a place to look and no verdict:"))
    for source, wrong, rows in tables:
        yield Item(line(f"{source.title} ({rows[0].conditions}{wrong}; table {source.id})"))
        yield from (Item(line(it.says), level=1) for it in rows[:_MOST_ROWS])


def _elsewhere(row: WorkloadRow) -> Iterator[TableRows]:
    """The rows of published tables about the like, of all filesystems."""
    result = next((it.cell.result for it in row.ranked if it.cell.result is not None), None)
    return iter(()) if result is None else elsewhere_by_table(row.job, replace(result, depends={}))
