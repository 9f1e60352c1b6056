"""A comparison: its sides, a matrix of who is best at what, and each workload with all its figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from fsadvisor.compare.ranking import Standing
from fsadvisor.pages.document import Block, Drawn, Gap, Item, Labelled, paragraph
from fsadvisor.pages.escape import clean, width
from fsadvisor.pages.spans import Tone, line, span
from fsadvisor.pages.text import counted
from fsadvisor.report.compare_words import (
    LEGEND,
    MARKS,
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
from fsadvisor.report.probe_seeds import beside
from fsadvisor.report.probe_words import number, time_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fsadvisor.compare.forms import Choice
    from fsadvisor.compare.matrix import Comparison, Row
    from fsadvisor.compare.ranking import Ranked
    from fsadvisor.probe.job import Job
    from fsadvisor.probe.result import Result
    from fsadvisor.report.compare_words import About

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


def listing(choices: Mapping[str, Choice], usual: Sequence[str], jobs: Mapping[str, Job]) -> Iterator[Block]:
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


def document(comparison: Comparison, about: About) -> Iterator[Block]:
    """All of it."""
    yield paragraph(f"{title(comparison)}; {clean(about.when)}")
    for said in course(about):
        yield paragraph(said)
    yield from _sides(comparison, about)
    yield from _matrix(comparison, about)
    for row in comparison.rows:
        yield from _workload(row, about)
    told = tuple(shares(comparison))
    if told:
        yield from _title("What a filesystem leaves of its device, and an image of its path")
    for said in told:
        yield Item(line(said))
    yield from _title("How to read it")
    for said in limits(comparison, about):
        yield Item(line(said))
    yield paragraph(f"`{about.command}`", first=line("  again: "))


def _title(words: str) -> Iterator[Block]:
    yield from (Gap(), paragraph(span(words, Tone.TITLE)))


def _lines(*lines: str, indent: int) -> Drawn:
    return Drawn(tuple(line(" " * indent + one) for one in lines))


def _sides(comparison: Comparison, about: About) -> Iterator[Block]:
    yield from _title("Sides")
    for at, side in enumerate(comparison.sides, 1):
        yield paragraph(f"{clean(side.name)}: {side_words(side, about)}", first=line(f" {at:>2}  "))
        for said in (promise_words(side), *(f"danger: {it}" for it in side.dangers), side.note):
            if said:
                yield paragraph(said, first=line("     - "))


def _matrix(comparison: Comparison, about: About) -> Iterator[Block]:
    yield from _title("Who is best at what")
    heads = "".join(f"{at:>{_CELL}}" for at in range(1, len(comparison.sides) + 1))
    rows = [(row.job.id, "".join(f"{MARKS[it.standing]:>{_CELL}}" for it in row.ranked)) for row in comparison.rows]
    yield _lines(*(f"{name:<{_NAME}}{marks}" for name, marks in [("", heads), *rows]), *LEGEND, indent=2)
    for said in winners(comparison, about):
        yield Gap()
        yield paragraph(said)


def _workload(row: Row, about: About) -> Iterator[Block]:
    yield Gap()
    yield paragraph(f"{row.job.id}: {row.job.title}", indent=2)
    for asked, members in row.groups():
        yield paragraph(group(asked, about), first=line("  "))
        for one in members:
            yield from _member(one)
    if row.unranked:
        yield paragraph("not ranked", first=line("  "))
    for one in row.unranked:
        shown = _shown(one)
        doubtful = f" ({figure_words(shown)})" if shown else ""
        yield paragraph(f"{clean(one.cell.side.name)}: {one.why}{doubtful}", first=line("    "), indent=6)
    results = [(it.cell.side.name, found) for it in row.ranked if (found := _shown(it))]
    yield from _accounts(results)
    yield from _parts(results)
    yield from _remarks(results)
    if results:
        yield from beside(row.job, replace(results[0][1], depends={}))


def _shown(one: Ranked) -> Result | None:
    result = one.cell.result
    return result if result is not None and result.figure is not None else None


def _member(one: Ranked) -> Iterator[Block]:
    result = _shown(one)
    if result is None or result.figure is None:
        return
    told = f"{figure_words(result)}, {interval(result.headline, result.figure)}"
    far = f"; {behind(one)}" if behind(one) else ""
    unsafe = "; dangerous" if one.cell.side.dangers else ""
    standing = "" if one.standing is Standing.ALONE else one.standing.value
    name = f"    {standing:<8}{clean(one.cell.side.name)}: "
    yield paragraph(f"{told}{far}{unsafe}", first=line(name), indent=14)


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
    told = [(name, it) for name, it in results if any(part in it.parts_us for part in _PARTS)]
    if not told:
        return
    rows = [_cells(_fit(name), [_part(result, it) for it in _PARTS]) for name, result in told]
    yield from (Gap(), _lines(_cells(f"{'one fsync':<{_NAME}}", _PARTS), *rows, indent=4))


def _part(result: Result, name: str) -> str:
    return time_text(result.parts_us[name].median) if name in result.parts_us else ""


def _remarks(results: Sequence[tuple[str, Result]]) -> Iterator[Block]:
    """What a reader has to know, once for all that it is said of."""
    said: dict[str, list[str]] = {}
    for name, result in results:
        for remark in result.remarks:
            said.setdefault(remark, []).append(name)
    if said:
        yield Gap()
    for remark, names in said.items():
        yield Item(line(f"{', '.join(map(clean, names))}: {remark}"))
