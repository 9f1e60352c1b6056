"""Power loss: what it would do and what safety costs, disk by disk; and the verdicts of `fsadvisor drive`.

Disks that are alike stand together.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct, field

from fsadvisor.facts import Known, Unknown
from fsadvisor.pages.document import (
    DrawnLines,
    Fold,
    Gap,
    Heading,
    Item,
    Labelled,
    Prose,
    Remark,
    Table,
    aligned,
    paragraph,
)
from fsadvisor.pages.glyphs import Span, Tone, clean, cut, line, plain, span
from fsadvisor.pages.published import document_in_lines, published
from fsadvisor.pages.text import render
from fsadvisor.pages.values import cause, counted, fact_words, full_name, listed
from fsadvisor.storage import Disk
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.captures import Judged
    from fsadvisor.facts import Fact
    from fsadvisor.pages.document import Block
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Storage, Subject

_NAMED: Final = 5
_GROUPS: Final = 20
_IN_A_ROW: Final = 3
_MOST_BELOW: Final = 8
"""Disks below that are named."""

_MEANING: Final = {
    "proven": "the drive itself shows that what it acknowledged survives",
    "claimed": "no test of the drive shows that what it acknowledged survives",
    "partial": "what lies on the medium survives, what was acknowledged and is on its way does not",
    "absent": "what was acknowledged and not flushed is lost",
    "failed": "there is a protection, and it has failed",
    "unknown": "nothing tells",
}


_AT_A_CUT: Final = {
    "proven": "acknowledged writes survive",
    "claimed": "acknowledged writes survive, says the vendor",
    "partial": "writes that are under way are lost",
    "absent": "writes that are not flushed are lost",
    "failed": "the protection has failed",
    "unknown": "nothing tells",
}
_UNFLUSHED: Final = {True: "acknowledged writes are lost: no flushes", False: "there is no volatile cache to lose"}
_NAMES: Final = {"claimed": "vendor claims it"}
"""Verdicts that a person would not understand by their value alone."""

_HEAD: Final = ("PLP", "write cache", "at a power cut")


class DiskGroup(Struct):
    """Disks with the same verdict, evidence and treatment by the kernel."""

    verdict: str
    evidence: tuple[str, ...]
    subjects: list[Subject] = field(default_factory=list)
    disks: list[Disk] = field(default_factory=list)


def alike(storage: Storage) -> list[tuple[str, ...]]:
    """The rows of the table, those of drives that are alike as one."""
    names_by_cells: dict[tuple[str, ...], list[str]] = {}
    for name, *cells in drives(storage):
        names_by_cells.setdefault(tuple(cells), []).append(name)
    return [(_first(names), *cells) for cells, names in names_by_cells.items()]


def drives(storage: Storage) -> list[tuple[str, ...]]:
    """A row for each drive: its name, verdict and write cache, and what a power cut does."""
    return [(clean(one.name), *_row(disk)) for one, disk in _lasting(storage)]


def _lasting(storage: Storage) -> Iterator[tuple[Subject, Disk]]:
    """The disks but for those in memory, such as zram: nobody expects them to keep anything."""
    for subject in storage.subjects:
        disk = subject.scope.get("disk")
        if subject.kind == "disk" and isinstance(disk, Disk) and read_fact.value(disk.transport) != "ram":
            yield subject, disk


def _row(disk: Disk) -> tuple[str, str, str]:
    cache = "not known" if isinstance(disk.write_cache, Unknown) else disk.write_cache.value
    if isinstance(disk.plp, Unknown):
        return "not known", cache, cause(disk.plp)
    if cache == "write through" and disk.plp.value not in ("proven", "claimed"):
        volatile = read_fact.value(disk.volatile_cache)
        if volatile is not None:
            return disk.plp.value, cache, _UNFLUSHED[volatile]
    return _NAMES.get(disk.plp.value, disk.plp.value), cache, _AT_A_CUT[disk.plp.value]


def table(rows: Sequence[tuple[str, ...]], width: int, more: str = "") -> Iterator[Block]:
    """The rows in columns, cut at the edge; its head stands at the margin."""
    if rows:
        head = (f"Power loss{more}", *_HEAD)
        drawn = aligned(Table(head, tuple(tuple(line(cell) for cell in row) for row in rows)))
        first, *others = (plain(one).rstrip() for one in drawn.lines)
        after = first.index(_HEAD[0])
        outdented = f"{first[2:after]}  {first[after:]}"
        yield DrawnLines(tuple(cut(line(one), width, "...") for one in (outdented, *others)))


def _first(names: Sequence[str]) -> str:
    more = [f"{len(names) - _IN_A_ROW:,} more"] if len(names) > _IN_A_ROW else []
    return listed([*names[:_IN_A_ROW], *more])


def blocks(storage: Storage) -> Iterator[Block]:
    """The section; nothing where no disk was seen."""
    disk_groups = groups(storage)
    for group in disk_groups[:_GROUPS]:
        yield from _group(group)
    if more := disk_groups[_GROUPS:]:
        yield Gap()
        inside = partial(chain.from_iterable, map(_group, more))
        yield Fold(f"{len(more):,} more groups of disks", inside, "--json has them")


def _group(group: DiskGroup) -> Iterator[Block]:
    yield from (Gap(), Heading(f"{_names(group.subjects)}: {group.verdict}"))
    if len(group.subjects) > _NAMED:
        names = line(listed([one.name for one in group.subjects]))
        yield Fold("All of them", lambda: [Remark(names)])
    yield from _weighed(group.evidence, group.disks)


def _weighed(evidence: tuple[str, ...], disks: list[Disk]) -> Iterator[Block]:
    yield from (Item(line(words)) for words in evidence)
    yield from map(Prose, _flushes(disks))


def of_disk(subject: Subject, glyphs: Glyphs) -> Iterator[Block]:
    """The verdict, what was weighed, what the kernel does, and what would settle it; nothing of what is no disk."""
    disk = subject.scope.get("disk")
    if subject.kind != "disk" or not isinstance(disk, Disk):
        return
    yield Heading("Power loss")
    yield Remark(line(span(verdict(disk), Tone.STRONG)))
    yield from _weighed(_evidence(subject, disk), [disk])
    if isinstance(disk.plp_settle, Known) and disk.plp_settle.value:
        yield Remark(line(span("What would settle it:", Tone.STRONG)))
        for step in disk.plp_settle.value:
            yield paragraph(step, first=(Span("  "), Span(f"{glyphs.right} ", Tone.KEY)))
    yield Gap()


def of_all(disks: Sequence[Subject]) -> Iterator[Block]:
    """The verdicts on the disks that something stands on; nothing where there are none."""
    if not disks:
        return
    yield Heading("What a power loss would do to the disks below")
    yield from verdicts(disks)
    yield Gap()


def verdicts(disks: Sequence[Subject]) -> Iterator[Block]:
    """A paragraph for each disk."""
    for subject in disks[:_MOST_BELOW]:
        disk = subject.scope.get("disk")
        if isinstance(disk, Disk):
            yield paragraph(span(f"{subject.name}: ", Tone.STRONG), verdict(disk), first=(Span("  "),), indent=4)
    if len(disks) > _MOST_BELOW:
        yield Remark(line(span(f"and {len(disks) - _MOST_BELOW:,} more", Tone.DIM)))


def groups(storage: Storage) -> list[DiskGroup]:
    """Disks that are alike together."""
    by_key: dict[object, DiskGroup] = {}
    for subject, disk in _lasting(storage):
        alike = _evidence(subject, disk)
        caches = (read_fact.value(disk.write_cache), read_fact.value(disk.volatile_cache))
        group = by_key.setdefault((verdict(disk), alike, caches), DiskGroup(verdict(disk), alike))
        group.subjects.append(subject)
        group.disks.append(disk)
    return list(by_key.values())


def verdict(disk: Disk) -> str:
    """The power-loss verdict and what it means, or why there is none."""
    if isinstance(disk.plp, Unknown):
        return fact_words("disk.plp", disk.plp, disk.plp.source)
    return f"{_NAMES.get(disk.plp.value, disk.plp.value)}, {_MEANING[disk.plp.value]}"


def _evidence(subject: Subject, disk: Disk) -> tuple[str, ...]:
    """What speaks for the verdict, without what only repeats the disk's name."""
    evidence = disk.plp_evidence.value if isinstance(disk.plp_evidence, Known) else ()
    return tuple(line.replace(f"/sys/block/{subject.name}/", "") for line in evidence)


def _flushes(disks: list[Disk]) -> Iterator[str]:
    """What the kernel does about their caches, which it treats alike, and the most that it costs."""
    cache = read_fact.value(disks[0].write_cache)
    if cache == "write through":
        yield (
            "The kernel sends no flushes, though the drive calls its cache volatile."
            if read_fact.value(disks[0].volatile_cache)
            else "The kernel sends no flushes: barriers cost nothing here, and nobarrier would gain nothing."
        )
    if cache != "write back":
        return
    cost = [
        *_most("ms each", (disk.flush_ms_avg for disk in disks)),
        *_most("% of the time since boot", (disk.flush_time_percent for disk in disks)),
    ]
    yield f"The kernel sends flushes{': up to ' if cost else ''}{', '.join(cost)}."


def _most(unit: str, facts: Iterable[Fact[float]]) -> Iterator[str]:
    known = [fact.value for fact in facts if isinstance(fact, Known)]
    if known:
        yield f"{max(known)} {unit}"


def _names(disks: list[Subject]) -> str:
    if len(disks) == 1:
        return full_name(disks[0])
    names = [clean(subject.name) for subject in disks[:_NAMED]]
    if len(disks) > _NAMED:
        names.append(f"{len(disks) - _NAMED:,} more")
    return f"{counted(len(disks), 'disk')}, {listed(names)}"


SCHEMA: Final = "fsadvisor/drive/1"

Verdict: TypeAlias = Literal["proven", "claimed", "partial", "absent", "failed", "unknown"]


class PlpEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One thing that was weighed: the verdict that it speaks for ('unknown' where it settles nothing)."""

    verdict: Verdict
    says: str
    source: str


class PowerLoss(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The verdict, all that was weighed for and against it, and what would settle it."""

    verdict: Verdict
    evidence: tuple[PlpEvidence, ...]
    settle: tuple[str, ...]


class Drive(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One drive; `model` and `volatile_cache` are null where no output tells them."""

    model: str | None
    volatile_cache: bool | None
    plp: PowerLoss


class Drives(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All drives of the files, in their order."""

    schema: Literal["fsadvisor/drive/1"]
    drives: tuple[Drive, ...]


def drives_as_json(found: Iterable[Judged]) -> str:
    """The document, a drive on a line, escaped as in the report."""
    drives = (published(Drive, one, plp=published(PowerLoss, one.plp, settle=one.plp.steps)) for one in found)
    return document_in_lines(Drives(schema=SCHEMA, drives=()), drives)


_LABEL: Final = 23
_CACHE: Final = {True: "yes", False: "no", None: "not known"}


def drives_as_text(found: Iterable[Judged]) -> Iterator[str]:
    """A paragraph for each drive."""
    return render((block for at, one in enumerate(found) for block in _drive(one, at)), margin=2)


def _drive(drive: Judged, index: int) -> Iterator[Block]:
    if index:
        yield Gap()
    yield paragraph("a drive without a name" if drive.model is None else drive.model)
    yield Labelled("power-loss protection", line(drive.plp.verdict), _LABEL)
    yield Labelled("volatile write cache", line(_CACHE[drive.volatile_cache]), _LABEL)
    for title, lines in (("weighed", map(str, drive.plp.evidence)), ("to settle it", drive.plp.steps)):
        items = [Item(line(words), level=1) for words in lines]
        if items:
            yield paragraph(title, first=line("  "))
            yield from items
