"""Mounts that can be probed and the jobs there are, with what was measured last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known
from fsadvisor.pages.document import Document, Heading, paragraph
from fsadvisor.pages.spans import Line, Span, Tone, cut, padded, span
from fsadvisor.pages.text import counted
from fsadvisor.probe.job import Headline
from fsadvisor.probe.jobs import JOBS, SUITES
from fsadvisor.report.probe_words import amount, sureness
from fsadvisor.storage import Below, Mount
from fsadvisor.survey import read_fact
from fsadvisor.survey.filesystem_types.registry import TYPES
from fsadvisor.survey.superblocks import OVERLAY
from fsadvisor.views.probe_groups import SUITE_WORDS, groups
from fsadvisor.views.probe_results import age
from fsadvisor.views.rows import Row

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Storage
    from fsadvisor.views.probe_results import Held, Kept

_NAME: Final = 29
"""Columns of the longest job's name and a space; of a suite's below."""
_SUITE: Final = 12
_ROOMY: Final = 66
"""From so many columns on all is told of a result."""


def mounts(storage: Storage, kept: Kept) -> list[tuple[str, Mount, Below | None]]:
    """Points of mounts that can be probed: on disks, and not known to be read-only; and those with results.

    Whether one may really be probed is the guard's question, which is asked for the folder itself.
    """
    found = []
    for subject in storage.subjects:
        mount, below = subject.scope.get("mount"), subject.scope.get("below")
        if subject.kind == "mount" and isinstance(mount, Mount):
            point = read_fact.value(mount.point) or subject.name
            if _can(mount) or point in kept.by_mount:
                found.append((point, mount, below if isinstance(below, Below) else None))
    return found


def _can(mount: Mount) -> bool:
    kind = read_fact.value(mount.fs_type)
    fine = kind is None or kind in TYPES or kind == OVERLAY
    return fine and read_fact.value(mount.mounted) is True and read_fact.value(mount.read_only) is not True


def mount_rows(storage: Storage, kept: Kept, now: datetime, width: int, glyphs: Glyphs) -> list[Row]:
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


def _last(on_mount: Mapping[str, Sequence[Held]], unread: int, now: datetime) -> Iterator[Span]:
    newest = [held[0] for held in on_mount.values()]
    if not newest:
        yield span("not known: results are unreadable" if unread else "not measured", Tone.UNKNOWN)
        return
    last = max(newest, key=lambda held: held.result.when)
    yield span(f"{counted(len(newest), 'job')}, {age(last.result.when, now)}", Tone.DIM)
    if stale := sum(bool(held.stale) for held in newest):
        yield span(f", {stale} stale", Tone.WARNING)


def job_rows(
    on_mount: Mapping[str, Sequence[Held]], picked: Collection[str], now: datetime, width: int, glyphs: Glyphs
) -> list[Row]:
    """Suites, then every job in its group; a title stands for all of its group."""
    rows = [_title("suites", "Suites", width, glyphs)]
    for name, ids in SUITES.items():
        words = f"{counted(len(ids), 'job')}, {SUITE_WORDS.get(name, '')}"
        rows.append(_row(f"suite:{name}", name, ids, picked, (span(words, Tone.DIM),), width, glyphs))
    for title, ids in groups():
        rows.append(_title(f"group:{title}", title, width, glyphs))
        for job_id in ids:
            last = tuple(_measured(on_mount.get(job_id, ()), now, width >= _ROOMY))
            rows.append(_row(f"job:{job_id}", job_id, (job_id,), picked, last, width, glyphs))
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


def _measured(held: Sequence[Held], now: datetime, roomy: bool) -> Iterator[Span]:
    """Figure, how sure it is and how old; where room is short, a doubt stands in place of how sure."""
    if not held:
        return
    result, word = held[0].result, held[0].word
    figure = "no figure" if result.figure is None else _short(result.headline, result.figure.median)
    sure = "" if result.figure is None else sureness(result.figure)
    yield span(f"{figure:>10} ")
    if roomy or not word:
        yield span(f"{sure:<9} ", Tone.DIM)
    if roomy or word:
        yield span(f"{word:<7}", Tone.WARNING)
    yield span(age(result.when, now), Tone.DIM)


def _short(headline: str, value: float) -> str:
    """'226 µs', '60,600/s', '1.2 GB/s'."""
    each_second = headline in (Headline.IOPS.name, Headline.FILES_PER_S.name)
    return f"{amount(headline, value)}{'/s' if each_second else ''}"


def mounts_title(kept: Kept) -> Line:
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
