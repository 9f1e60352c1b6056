"""Mounts that can be probed and the jobs there are, with what was measured last.

Jobs in groups that people look for, and suites.

What was measured and kept: every result by mount and job, with whether it holds today; ages, and changes.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Known
from fsadvisor.machine.kept_files import COMPARED
from fsadvisor.measure.probe import store
from fsadvisor.measure.probe.jobs import JOBS, SUITES, Allocation, Existing, Headline, Io, Ladder, Metadata, Mix
from fsadvisor.pages.document import Document, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, columns, cut, padded, span
from fsadvisor.pages.values import counted
from fsadvisor.readers import json_text, own_records
from fsadvisor.report.probe_figures import amount, number, sureness
from fsadvisor.storage import Below, Mount
from fsadvisor.survey import measured, read_fact
from fsadvisor.survey.filesystem_types.registry import OVERLAY, TYPES
from fsadvisor.survey.tried import rule_of
from fsadvisor.tui.views.rows import Row

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Storage


_TITLES: Final = (
    ("commit", "Commit latency"),
    ("ladder", "What an fsync is made of"),
    ("random", "Random reads and writes"),
    ("sequential", "Sequential reads and writes"),
    ("metadata", "Metadata: files by the second"),
    ("allocation", "Allocation of large files"),
    ("server", "Servers' mixes"),
    ("existing", "Files that are there already"),
)
SUITE_WORDS: Final = {
    "quick": "the most telling",
    "oltp": "for databases",
    "metadata": "for many small files",
    "streaming": "for large files",
    "full": "everything",
}


@cache
def job_groups() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Title and jobs of each group."""
    kinds: dict[str, list[str]] = {name: [] for name, _ in _TITLES}
    for job in JOBS.values():
        kinds[_kind(job)].append(job.id)
    return tuple((title, tuple(kinds[name])) for name, title in _TITLES)


def _kind(job: Job) -> str:
    match job.work:
        case Io(sync="none", pattern="append"):
            return "commit"
        case Io(sync="none", pattern=pattern):
            return pattern
        case Io():
            return "commit"
        case Ladder():
            return "ladder"
        case Metadata():
            return "metadata"
        case Allocation():
            return "allocation"
        case Mix():
            return "server"
        case Existing():
            return "existing"


def is_title(key: str) -> bool:
    """Whether the row is the title of a group."""
    return key.startswith("group:")


def group_members(key: str) -> tuple[str, ...]:
    """The jobs that a row stands for: 'suite:quick', 'group:Commit latency', 'job:create-1'."""
    kind, _, name = key.partition(":")
    if kind == "suite":
        return SUITES.get(name, ())
    if kind == "group":
        return dict(job_groups()).get(name, ())
    return (name,) if name in JOBS else ()


_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_DAYS_TOLD: Final = 60


class KeptResult(Struct, frozen=True):
    """A result that was kept."""

    result: Result
    weak: str
    """Why it was never sure enough for a fact, '' where it was."""
    stale: str
    """What is not today as it was then, '' where nothing is."""

    @property
    def word(self) -> str:
        """In a word why no advice is made of it, '' where advice is."""
        return "stale" if self.stale else "unsure" if self.weak else ""


class ResultsByMount(Struct, frozen=True):
    """All results by mount point, then by job, newest first; and how many lines are none."""

    by_mount: Mapping[str, Mapping[str, tuple[KeptResult, ...]]]
    unread: int = 0
    compared: Mapping[str, tuple[KeptResult, ...]] = {}
    """Comparisons by what was compared, newest first; those are of no one mount."""

    def on(self, mount: str) -> Mapping[str, tuple[KeptResult, ...]]:
        """Those on a mount, by job."""
        return self.by_mount.get(mount, {})


NO_RESULTS: Final = ResultsByMount({})


def results_of(text: str, storage: Storage) -> ResultsByMount:
    """What a file of results holds, be it of a recording, where results hold less; judged by the storage of today."""
    by_mount: dict[str, dict[str, list[KeptResult]]] = {}
    compared: dict[str, list[KeptResult]] = {}
    conditions: dict[str, Mapping[str, str]] = {}
    unread = 0
    for line in filter(str.strip, text.split("\n")):
        known = own_records.result(line)
        result = None if isinstance(known, str) else _result(line)
        if isinstance(known, str) or result is None:
            unread += 1
            continue
        if result.mount not in conditions:
            conditions[result.mount] = measured.conditions_of(storage, result.mount)
        held = KeptResult(result, measured.weakness(known), measured.staleness(known, conditions[result.mount]))
        of = compared if result.job.startswith(COMPARED) else by_mount.setdefault(result.mount, {})
        of.setdefault(result.job, []).append(held)
    return ResultsByMount(
        {mount: _newest_first(jobs) for mount, jobs in by_mount.items()}, unread, _newest_first(compared)
    )


def _newest_first(jobs: Mapping[str, Sequence[KeptResult]]) -> dict[str, tuple[KeptResult, ...]]:
    return {
        job: tuple(sorted(held, key=lambda one: datetime.fromisoformat(one.result.when), reverse=True))
        for job, held in jobs.items()
    }


def _result(line: str) -> Result | None:
    """A line as a result; what a recording leaves out follows from the name of the job, or of the trial's rule."""
    whole = store.results(line.encode(errors="replace")).results
    if whole:
        return whole[0]
    document = json_text.load(line)  # as the reader of results, which passes over what follows
    if not isinstance(document, dict):
        return None
    name = str(document.get("job"))
    job, rule = JOBS.get(name), rule_of(name)
    if job is None and not rule:
        return None
    question, headline = (job.question, job.headline.name) if job else (f"trial of {rule}", "RATIO")
    document = {"question": question, "target": document["mount"], "headline": headline, **document}
    filled = store.results(json.dumps(document).encode()).results
    return filled[0] if filled else None


def age_words(when: str, now: datetime) -> str:
    """How long ago: 'just now', '5 min ago', '3 h ago', '12 days ago'; the day beyond two months, or in the future."""
    seconds = (now - datetime.fromisoformat(when)).total_seconds()
    if not -_MINUTE < seconds < _DAYS_TOLD * _DAY:
        return when[:10]
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)} min ago"
    if seconds < _DAY:
        return f"{int(seconds // _HOUR)} h ago"
    days = int(seconds // _DAY)
    return f"{days} days ago" if days > 1 else "1 day ago"


def change_words(newer: Result, older: Result) -> str:
    """What became of a figure: only what is beyond the noise is called a change."""
    return _change(newer, older)[0]


def trend(results: Sequence[Result]) -> str:
    """The newest beside the one before, in a word or two; '' where there is none that can be compared."""
    return _change(results[0], results[1])[1] if len(results) > 1 else ""


def _change(newer: Result, older: Result) -> tuple[str, str]:
    """In words, and short."""
    if newer.figure is None or older.figure is None:
        return "no figure to compare", ""
    if newer.question != older.question:
        return "answers another question", ""
    if newer.engine.split()[:1] != older.engine.split()[:1]:
        return "measured by another engine", ""
    if newer.figure.low <= older.figure.high and older.figure.low <= newer.figure.high:
        return "the same within the noise", "as before"
    if not older.figure.median:
        return "was 0 then", ""
    times = newer.figure.median / older.figure.median
    way = _way(newer.headline, more=times > 1)
    by = f"{number(times)} times" if times > 3 else f"{100 * (times - 1):+.0f} %"
    return f"since then {by}: {way}", f"{by}, {way}"


def _way(headline: str, *, more: bool) -> str:
    if headline == Headline.EXTENTS.name:
        return "more extents" if more else "fewer extents"
    smaller = headline in (Headline.SYNC_US.name, Headline.LATENCY_US.name)
    return "slower" if more is smaller else "faster"


_NAME: Final = 29
"""Columns of the longest job's name and a space; of a suite's below."""
_SUITE: Final = 12
_TELLING: Final = 12
"""Columns of a title below which it is left out behind a result."""
_ROOMY: Final = 66
"""From so many columns on all is told of a result."""


def mounts(storage: Storage, kept: ResultsByMount) -> list[tuple[str, Mount, Below | None]]:
    """Points of mounts that can be probed: on disks, and not known to be read-only; and those with results.

    Whether one may really be probed is the guard's question, which is asked for the folder itself.
    """
    listed = []
    for subject in storage.subjects:
        mount, below = subject.scope.get("mount"), subject.scope.get("below")
        if subject.kind == "mount" and isinstance(mount, Mount):
            point = read_fact.value(mount.point) or subject.name
            if _can(mount) or point in kept.by_mount:
                listed.append((point, mount, below if isinstance(below, Below) else None))
    return listed


def _can(mount: Mount) -> bool:
    kind = read_fact.value(mount.fs_type)
    fine = kind is None or kind in TYPES or kind == OVERLAY
    return fine and read_fact.value(mount.mounted) is True and read_fact.value(mount.read_only) is not True


def mount_rows(storage: Storage, kept: ResultsByMount, now: datetime, width: int, glyphs: Glyphs) -> list[Row]:
    """Three lines for each: where, on what, and what was measured."""
    return [
        Row(
            point,
            tuple(
                cut(one, width, glyphs.ellipsis)
                for one in (
                    (span(f" {point}", Tone.STRONG),),
                    (span(f"   {_on(mount, below)}", Tone.DIM),),
                    (Span("   "), *_last(kept.on(point), kept.unread, now)),
                )
            ),
        )
        for point, mount, below in mounts(storage, kept)
    ]


def _on(mount: Mount, below: Below | None) -> str:
    disks = below.disks if below else None
    on = ", ".join(disks.value) if isinstance(disks, Known) and disks.value else "unknown disks"
    return f"{read_fact.value(mount.fs_type) or 'unknown'} on {on}"


def _last(on_mount: Mapping[str, Sequence[KeptResult]], unread: int, now: datetime) -> Iterator[Span]:
    newest = [held[0] for held in on_mount.values()]
    if not newest:
        yield span("not known: results are unreadable" if unread else "not measured", Tone.UNKNOWN)
        return
    last = max(newest, key=lambda held: held.result.when)
    yield span(f"{counted(len(newest), 'job')}, {age_words(last.result.when, now)}", Tone.DIM)
    if stale := sum(bool(held.stale) for held in newest):
        yield span(f", {stale} stale", Tone.WARNING)


def job_rows(
    on_mount: Mapping[str, Sequence[KeptResult]], picked: Collection[str], now: datetime, width: int, glyphs: Glyphs
) -> list[Row]:
    """Suites, then every job in its group; a title stands for all of its group."""
    rows = [_title("suites", "Suites", width, glyphs)]
    for name, ids in SUITES.items():
        words = f"{counted(len(ids), 'job')}, {SUITE_WORDS.get(name, '')}"
        rows.append(_row(f"suite:{name}", name, ids, picked, (span(words, Tone.DIM),), width, glyphs))
    for title, ids in job_groups():
        rows.append(_title(f"group:{title}", title, width, glyphs))
        for job_id in ids:
            last = tuple(_measured(on_mount.get(job_id, ()), now, width >= _ROOMY))
            room = width - 3 - _NAME
            last = last if columns(last) <= room else last[:-1]  # its age goes first
            does = (Span("  " if last else ""), span(JOBS[job_id].title, Tone.DIM))
            told = (*last, *does) if room - columns(last) >= _TELLING else last
            rows.append(_row(f"job:{job_id}", job_id, (job_id,), picked, told, width, glyphs))
    return rows


def _title(key: str, title: str, width: int, glyphs: Glyphs) -> Row:
    return Row(key, (cut((span(f" {title}", Tone.TITLE),), width, glyphs.ellipsis),))


def _row(
    key: str, name: str, ids: Sequence[str], picked: Collection[str], words: Line, width: int, glyphs: Glyphs
) -> Row:
    chosen = all(one in picked for one in ids)
    mark = span(f" {glyphs.chosen if chosen else ' '} ", Tone.KEY)
    title = JOBS[name].title if name in JOBS else ""
    called = padded((span(name),), _SUITE if name in SUITES else _NAME)
    return Row(key, (cut((mark, *called, *words), width, glyphs.ellipsis),), title)


def _measured(held: Sequence[KeptResult], now: datetime, roomy: bool) -> Iterator[Span]:
    """Figure, how sure it is, its trend and age; where room is short, a doubt or a change in place of how sure."""
    if not held:
        return
    result, word = held[0].result, held[0].word
    figure = "no figure" if result.figure is None else _short(result.headline, result.figure.median)
    sure = "" if result.figure is None else sureness(result.figure)
    became = trend([one.result for one in held])
    worse = Tone.WARNING if became.endswith("slower") else Tone.DIM
    changed = became.partition(",")[0] if "," in became else ""
    yield span(f"{figure:>10} ")
    if roomy or not (word or changed):
        yield span(f"{sure:<9} ", Tone.DIM)
    elif changed and not word:
        yield span(f"{changed:<9} ", worse)
    if roomy and became:
        yield span(f"{became} ", worse)
    if roomy or word:
        yield span(f"{word:<7}", Tone.WARNING)
    yield span(age_words(result.when, now), Tone.DIM)


def _short(headline: str, value: float) -> str:
    """'226 µs', '60,600/s', '1.2 GB/s'."""
    each_second = headline in (Headline.IOPS.name, Headline.FILES_PER_S.name)
    return f"{amount(headline, value)}{'/s' if each_second else ''}"


def mounts_title(kept: ResultsByMount) -> Line:
    """Above the mounts, with how many results there are that cannot be read."""
    told = (span(f"  {counted(kept.unread, 'result')} unreadable", Tone.WARNING),) if kept.unread else ()
    return (span("Mounts", Tone.TITLE), *told)


def jobs_title(target: str, picked: Sequence[str], *, live: bool) -> Line:
    """Above the jobs: what is picked, and where it would be measured."""
    if not live:
        return (span("Results", Tone.TITLE), span("  a recording cannot be probed", Tone.WARNING))
    if picked:
        return (span(f"{counted(len(picked), 'job')} picked", Tone.KEY), span(f"  in {target}", Tone.DIM))
    return (span("Jobs", Tone.TITLE), span(f"  in {target}", Tone.DIM))


def several(key: str, ids: Sequence[str]) -> Document:
    """A row that stands for several jobs."""
    name = key.partition(":")[2]
    lines = (paragraph(f"{one}: ", span(JOBS[one].title, Tone.DIM), first=(Span("  "),), indent=4) for one in ids)
    title = Heading(f"{name}: {counted(len(ids), 'job')}" if ids else name)
    return Document(key, (title, *lines))
