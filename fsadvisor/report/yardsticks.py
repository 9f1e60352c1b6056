"""Yardsticks for what was measured: what was published of the like, and what a program's own page asks for.

Never a verdict: other hardware, another kernel, often another question.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from fsadvisor.measure.probe.jobs import Allocation, Existing, Io, Ladder, Metadata, Mix
from fsadvisor.pages.document import Block, Gap, paragraph
from fsadvisor.pages.glyphs import Span, Tone, line, span
from fsadvisor.report.probe_figures import time_text
from fsadvisor.rulebook.tables import published_sources, table
from fsadvisor.survey.filesystem_types.registry import IN_PAPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.rulebook.tables import Column, PublishedTable

JOB: Final = "commit-fdatasync"


class Limit(Struct, frozen=True):
    """What a program says about 99 of 100 of its flushes."""

    program: str
    most_us: float
    words: str
    processes: tuple[str, ...] = ()


LIMITS: Final = (
    Limit("etcd", 10_000, "asks for 10 ms (etcd.io, hardware guide); its own alert waits for 500 ms", ("etcd",)),
    Limit("ZooKeeper", 1_000_000, "warns from 1 s on (fsync.warningthresholdms)"),
    Limit(
        "Redis, everysec", 2_000_000, "holds writers from 2 s on (redis.io, latency)", ("redis-server", "valkey-server")
    ),
)
_MILLION: Final = 1_000_000


def good_enough(result: Result) -> Iterator[Block]:
    """A line for each program that publishes a limit, and what a commit of a database takes; nothing of other jobs."""
    slowest, middle = result.percentiles_us.get("p99"), result.percentiles_us.get("p50")
    if result.job != JOB or not slowest or not middle or not result.believable or result.figure is None:
        return
    yield Gap()
    yield paragraph(f"Good enough for it? 99 of 100 commits take {time_text(slowest)} at most.", first=line("  "))
    for limit in LIMITS:
        verdict = _verdict(slowest, limit.most_us, result.figure.half_width)
        yield paragraph(span(f"{limit.program}: "), verdict, f"; it {limit.words}", first=line("  - "), indent=4)
    rate = round(_MILLION / middle)
    yield paragraph(
        f"PostgreSQL, MySQL, MongoDB: no limit is published; a connection commits {rate:,} times a second at most",
        first=line("  - "),
        indent=4,
    )
    yield paragraph("About 20 ms are normal for a hard disk of 7,200 rpm.", first=line("  - "), indent=4)


def _verdict(slowest_us: float, most_us: float, off_by: float) -> Span:
    """By the slowest of a hundred, which a long run may move by as much as the median: `off_by`, a share."""
    if slowest_us * (1 + off_by) <= most_us:
        return span("yes", Tone.GOOD)
    if slowest_us * (1 - off_by) > most_us:
        return span("no", Tone.BAD)
    return span("not known, too near for what this run tells")


_FILESYSTEMS: Final = frozenset(IN_PAPERS)
_TELLING: Final = frozenset(
    {
        *("read", "write", "random", "sequential", "fsync", "create", "mail", "web"),
        *("metadata", "allocation", "pg_dump", "extents", "dd"),
    }
)
"""Words that tell rows of a table apart; one that some rows have and others lack must fit the job."""
_KINDS: Final = (frozenset({"read", "write"}), frozenset({"mail", "web", "file"}))
"""Of these a column is about one or another."""
_NOTHING: Final = ("", "-", "none")
_WORD: Final = re.compile(r"[a-z0-9_]+")
_ROOTS: Final = {"reads": "read", "writes": "write", "reading": "read", "writing": "write", "creation": "create"}


class Elsewhere(Struct, frozen=True, kw_only=True):
    """A row of a published table."""

    table: str
    """Its name, such as '000-fsync'."""
    says: str
    """'ext4, defaults, write and fsync: rate 5200 operations/s'."""
    basis: str
    """'measured' or 'stated'."""
    conditions: str
    errata: tuple[str, ...]
    """Numbers of what is wrong with it."""


def elsewhere(job: Job, result: Result) -> tuple[Elsewhere, ...]:
    """The rows of its tables that speak of the like work on the like filesystem; of all where that is not known."""
    words = _words(job)
    filesystem = result.depends.get("mount.fs_type", "").lower()
    return tuple(row for name in job.tables for row in _rows(table(name), words, filesystem))


class TableRows(NamedTuple):
    """The rows of one table, which is never without any; `wrong` says in a clause what is wrong in it, or is ''."""

    table: PublishedTable
    wrong: str
    rows: tuple[Elsewhere, ...]


def elsewhere_by_table(job: Job, result: Result) -> Iterator[TableRows]:
    """The same rows, table by table."""
    for name, some in groupby(elsewhere(job, result), key=lambda row: row.table):
        rows = tuple(some)
        yield TableRows(table(name), f"; wrong in it: {', '.join(rows[0].errata)}" if rows[0].errata else "", rows)


def _words(job: Job) -> frozenset[str]:
    """What the job does, in the words of the tables."""
    match job.work:
        case Io():
            synced = {"fsync"} if job.work.sync != "none" else set()
            pattern = "random" if job.work.pattern == "random" else "sequential"
            return frozenset({job.work.operation, pattern, "dd", *synced})
        case Ladder():
            return frozenset({"write", "random", "fsync"})
        case Metadata():
            return frozenset({job.work.operation, "metadata"})
        case Allocation():
            return frozenset({"allocation"})
        case Existing():
            return frozenset({"read", "sequential", "dd", "extents"})
        case Mix():
            return frozenset({"mail" if "fsync" in job.work.steps else "web" if "log" in job.work.steps else "file"})


def _rows(table: PublishedTable, words: frozenset[str], filesystem: str) -> Iterator[Elsewhere]:
    said = [_words_of(row) for row in table.rows]
    telling = {word for word in _TELLING if 0 < sum(word in one for one in said) < len(said)}
    for row, one in zip(table.rows, said, strict=True):
        others = _words_of(row[:1]) & _FILESYSTEMS or one & _FILESYSTEMS
        if telling & one != telling & words or (others and filesystem and filesystem not in others):
            continue
        yield Elsewhere(
            table=table.id,
            says=_sentence(row, table.column, words),
            basis=table.basis,
            conditions="; ".join(_conditions(table)),
            errata=_errata(table),
        )


def _errata(table: PublishedTable) -> tuple[str, ...]:
    """Of the whole and of its columns, in their order."""
    numbers = {*table.errata, *(number for column in table.column for number in column.errata)}
    return tuple(sorted(numbers, key=lambda number: int(number[1:])))


def _words_of(row: Sequence[str | int | float]) -> frozenset[str]:
    found = _WORD.findall(" ".join(str(cell) for cell in row if isinstance(cell, str)).lower())
    return frozenset(_ROOTS.get(word, word) for word in found)


def _sentence(row: Sequence[str | int | float], columns: Sequence[Column], words: frozenset[str]) -> str:
    """'ext4, mount defaults, scenario write and fsync: rate 5200 operations/s'."""
    kept = [(cell, column) for cell, column in zip(row, columns, strict=True) if not _of_the_other(column, words)]
    texts = [
        cell if column is columns[0] else f"{column.name} {cell}"
        for cell, column in kept
        if isinstance(cell, str) and cell not in _NOTHING
    ]
    figures = [
        " ".join(filter(None, (column.name, f"{cell:,g}", column.unit)))
        for cell, column in kept
        if not isinstance(cell, str)
    ]
    return ": ".join(filter(None, (", ".join(texts), ", ".join(figures))))


def _of_the_other(column: Column, words: frozenset[str]) -> bool:
    """A column about reads for a job that writes, about web servers for a mail server."""
    return any(named and not named & words for kind in _KINDS if (named := _words_of((column.name,)) & kind))


def _conditions(table: PublishedTable) -> Iterator[str]:
    yield published_sources()[table.seed].name
    for name in ("kernel", "hardware", "tool", "options", "runs"):
        told = getattr(table, name)
        if not told.startswith("see the column"):
            yield f"{name} {told}" if name in ("kernel", "options", "runs") else told
