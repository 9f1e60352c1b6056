"""A comparison as text: its sides, a matrix of who is best at what, and each workload with all its figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from fsadvisor.compare.ranking import Standing
from fsadvisor.pages.escape import clean, width
from fsadvisor.pages.text import WIDTH, counted, wrapped
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


def before(names: Sequence[str], jobs: int, image_folder: str, columns: int = WIDTH) -> Iterator[str]:
    """What is about to be done, before it is."""
    yield from wrapped(f"{counted(jobs, 'job')} on {counted(len(names), 'side')} in turn", columns)
    yield from wrapped(", ".join(clean(it) for it in names), columns, "  sides   ")
    if image_folder:
        yield from wrapped(
            f"without names on {clean(image_folder)}, mounted where nobody else sees them", columns, "  images  "
        )


def listing(choices: Mapping[str, Choice], usual: Sequence[str], jobs: Mapping[str, Job]) -> Iterator[str]:
    """What can be made, and by which jobs it is compared where nobody says."""
    yield "filesystems in images\n"
    for name, choice in choices.items():
        yield from wrapped(f"{choice.says}", WIDTH, f"  {name:<12}")
        told = ", ".join((*choice.form.mkfs, *choice.form.options))
        if told:
            yield from wrapped(told, WIDTH, f"  {'':<12}")
        for danger in choice.dangers:
            yield from wrapped(f"danger: {danger}", WIDTH, f"  {'':<12}")
    yield "\njobs (fsadvisor probe --list has all)\n"
    for name in usual:
        yield from wrapped(jobs[name].title, WIDTH, f"  {name:<18}")


def text(comparison: Comparison, about: About, columns: int = WIDTH) -> Iterator[str]:
    """All of it."""
    yield from wrapped(f"{title(comparison)}; {clean(about.when)}", columns)
    for said in course(about):
        yield from wrapped(clean(said, None), columns)
    yield from _sides(comparison, about, columns)
    yield from _matrix(comparison, about, columns)
    for row in comparison.rows:
        yield from _workload(row, about, columns)
    told = tuple(shares(comparison))
    if told:
        yield "\nWhat a filesystem leaves of its device, and an image of its path\n"
    for said in told:
        yield from wrapped(clean(said, None), columns, "  - ")
    yield "\nHow to read it\n"
    for said in limits(comparison, about):
        yield from wrapped(clean(said, None), columns, "  - ")
    yield from wrapped(f"`{clean(about.command, None)}`", columns, "  again: ")


def _sides(comparison: Comparison, about: About, columns: int) -> Iterator[str]:
    yield "\nSides\n"
    for at, side in enumerate(comparison.sides, 1):
        yield from wrapped(f"{clean(side.name)}: {clean(side_words(side, about), None)}", columns, f" {at:>2}  ")
        for said in (promise_words(side), *(f"danger: {it}" for it in side.dangers), side.note):
            if said:
                yield from wrapped(clean(said, None), columns, "     - ")


def _matrix(comparison: Comparison, about: About, columns: int) -> Iterator[str]:
    yield "\nWho is best at what\n"
    yield f"  {'':<{_NAME}}{''.join(f'{at:>{_CELL}}' for at in range(1, len(comparison.sides) + 1))}\n"
    for row in comparison.rows:
        marks = "".join(f"{MARKS[it.standing]:>{_CELL}}" for it in row.ranked)
        yield f"  {row.job.id:<{_NAME}}{marks}".rstrip() + "\n"
    for line in LEGEND:
        yield f"  {line}\n"
    for said in winners(comparison, about):
        yield "\n"
        yield from wrapped(clean(said, None), columns)


def _workload(row: Row, about: About, columns: int) -> Iterator[str]:
    yield "\n"
    yield from wrapped(f"{row.job.id}: {row.job.title}", columns, rest="  ")
    for asked, members in row.groups():
        yield from wrapped(clean(group(asked, about), None), columns, "  ")
        for one in members:
            yield from _member(one, columns)
    if row.unranked:
        yield "  not ranked\n"
    for one in row.unranked:
        shown = _shown(one)
        doubtful = f" ({figure_words(shown)})" if shown else ""
        yield from wrapped(f"{clean(one.cell.side.name)}: {clean(one.why, None)}{doubtful}", columns, "    ", "      ")
    results = [(it.cell.side.name, found) for it in row.ranked if (found := _shown(it))]
    yield from _accounts(results, columns)
    yield from _parts(results)
    yield from _remarks(results, columns)
    if results:
        yield from beside(row.job, replace(results[0][1], depends={}), columns)


def _shown(one: Ranked) -> Result | None:
    result = one.cell.result
    return result if result is not None and result.figure is not None else None


def _member(one: Ranked, columns: int) -> Iterator[str]:
    result = _shown(one)
    if result is None or result.figure is None:
        return
    told = f"{figure_words(result)}, {interval(result.headline, result.figure)}"
    far = f"; {behind(one)}" if behind(one) else ""
    unsafe = "; dangerous" if one.cell.side.dangers else ""
    standing = "" if one.standing is Standing.ALONE else one.standing.value
    name = f"    {standing:<8}{clean(one.cell.side.name)}: "
    yield from wrapped(f"{told}{far}{unsafe}", columns, name, " " * 14)


def _accounts(results: Sequence[tuple[str, Result]], columns: int) -> Iterator[str]:
    """A line of figures for each side that has any."""
    lines = [(_fit(name), _account(it)) for name, it in results]
    if not any(any(cells) for _, cells in lines):
        return
    head = (*_PERCENTILES, "CPU u+s", "flushes", "written")
    yield f"\n    {'':<{_NAME}}{''.join(f'{it:>9}' for it in head)}"[:columns] + "\n"
    for name, cells in lines:
        yield f"    {name}{''.join(f'{it:>9}' for it in cells)}".rstrip() + "\n"


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


def _parts(results: Sequence[tuple[str, Result]]) -> Iterator[str]:
    """One fsync taken apart."""
    told = [(name, it) for name, it in results if any(part in it.parts_us for part in _PARTS)]
    if not told:
        return
    yield f"\n    {'one fsync':<{_NAME}}{''.join(f'{it:>9}' for it in _PARTS)}\n"
    for name, result in told:
        cells = [time_text(result.parts_us[it].median) if it in result.parts_us else "" for it in _PARTS]
        yield f"    {_fit(name)}{''.join(f'{it:>9}' for it in cells)}".rstrip() + "\n"


def _remarks(results: Sequence[tuple[str, Result]], columns: int) -> Iterator[str]:
    """What a reader has to know, once for all that it is said of."""
    said: dict[str, list[str]] = {}
    for name, result in results:
        for remark in result.remarks:
            said.setdefault(remark, []).append(name)
    if said:
        yield "\n"
    for remark, names in said.items():
        yield from wrapped(f"{', '.join(map(clean, names))}: {clean(remark, None)}", columns, "  - ")
