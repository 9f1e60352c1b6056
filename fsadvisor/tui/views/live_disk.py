"""One disk, live: a minute of its throughput, latency, queue and flushes, and what stands on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known
from fsadvisor.measure.waits.rates import MOMENTS, Rates
from fsadvisor.pages.document import Document, DrawnLines, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, cut, line, padded, span
from fsadvisor.pages.values import amount, counted, duration, rate, short_name
from fsadvisor.storage import Disk, Layer
from fsadvisor.tui.views.live import minute_sparkline
from fsadvisor.tui.views.snapshot import finding_key, reached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fsadvisor.pages.document import Block
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Subject
    from fsadvisor.tui.views.live import LiveSamples
    from fsadvisor.tui.views.live_limit import WritingProcesses
    from fsadvisor.tui.views.snapshot import Snapshot

_WORDS: Final = 38
_MOST_ABOVE: Final = 30
_MOST_WRITERS: Final = 8
_MOSTLY: Final = 0.5
_NO_FLUSH: Final = (
    "The kernel sends no flush to a cache that it takes for write through. It counts none for devices that queue "
    "nothing themselves (md, dm, bcache, multipath): there the disks below count them."
)


def names(snapshot: Snapshot | None) -> Mapping[str, str]:
    """What devices are called besides their kernel name: a drive's model, a volume's name."""
    by_device: dict[str, str] = {}
    for subject in snapshot.storage.subjects if snapshot else ():
        facts = subject.scope.get(subject.kind)
        if isinstance(facts, Disk | Layer) and isinstance(facts.name, Known):
            known = facts.model if isinstance(facts, Disk) else facts.mapped_name
            by_device[facts.name.value] = known.value.strip() if isinstance(known, Known) else ""
    return by_device


def places(snapshot: Snapshot | None) -> Mapping[str, str]:
    """What devices stand for in a list: the mounts on them, else what they are called."""
    points: dict[str, list[str]] = {}
    for mount in snapshot.storage.subjects if snapshot else ():
        if snapshot is not None and mount.kind == "mount":
            for below in reached(mount.id, snapshot.relations.below):
                points.setdefault(_device(snapshot.subjects.get(below)), []).append(short_name(mount))
    return {name: " ".join(points.get(name, ())) or called for name, called in names(snapshot).items()}


def _device(subject: Subject | None) -> str:
    """The kernel's name of a disk or a layer; '' of all else."""
    facts = subject.scope.get(subject.kind) if subject else None
    return facts.name.value if isinstance(facts, Disk | Layer) and isinstance(facts.name, Known) else ""


def worst(snapshot: Snapshot | None, name: str) -> str:
    """The key of the gravest finding on a device and on what stands on it; '' where there is none."""
    on = {one.id for one in above(snapshot, name)}
    first = min(snapshot.relations.advice_on(on), default=-1) if snapshot else -1
    return finding_key(snapshot.findings[first]) if snapshot and first >= 0 else ""


def above(snapshot: Snapshot | None, name: str) -> list[Subject]:
    """Everything that stands on a device of that name, itself first."""
    if snapshot is None:
        return []
    own = [subject.id for subject in snapshot.storage.subjects if _device(subject) == name]
    standing = set().union(*(reached(one, snapshot.relations.above) for one in own))
    return [
        *(snapshot.subjects[one] for one in own),
        *(one for one in snapshot.storage.subjects if one.id in standing - {*own}),
    ]


def document(seen: LiveSamples, snapshot: Snapshot | None, name: str, width: int, glyphs: Glyphs) -> Document:
    """All of it."""
    minute = [(one.disks or {}).get(name) for one in seen.moments]
    now = minute[-1] if minute else None
    called = names(snapshot).get(name, "")
    standing = above(snapshot, name)
    blocks: list[Block] = [
        Heading(f"{name}   {called}" if called else name),
        DrawnLines((cut(line(span("On it    ", Tone.STRONG), _mounts(standing, snapshot)), width, glyphs.ellipsis),)),
    ]
    if now is None:
        blocks.append(paragraph(span("No rates yet, or the device is gone.", Tone.DIM)))
    else:
        blocks.append(DrawnLines(tuple(_lines(now, minute, width, glyphs))))
        if now.flushes is not None and not now.flushed:
            blocks.append(paragraph(span(_NO_FLUSH, Tone.DIM)))
    if standing:
        blocks += [Gap(), *_who(seen.writing, standing), Gap(), *_standing(standing)]
    return Document(f"live {name}", tuple(blocks))


def _lines(now: Rates, minute: Sequence[Rates | None], width: int, glyphs: Glyphs) -> Iterator[Line]:
    def drawn(label: str, words: str, value: Callable[[Rates], float | None], top: float | None = None) -> Line:
        left = min(_WORDS, max(width - 12, 1))
        text = padded(cut(line(span(f"{label:<9}", Tone.STRONG), span(words)), left, glyphs.ellipsis), left)
        room = min(max(width - left - 1, 0), MOMENTS)
        values = [None if one is None else value(one) for one in minute]
        return (*text, Span(" "), *minute_sparkline(values, room, glyphs, top=top))

    yield drawn("Read", _done(now.reads, now.read_bytes), lambda one: one.read_bytes)
    yield drawn("  takes", _takes(now.read_ms), lambda one: one.read_ms)
    yield drawn("Write", _done(now.writes, now.write_bytes), lambda one: one.write_bytes)
    yield drawn("  takes", _takes(now.write_ms), lambda one: one.write_ms)
    yield drawn("Queue", f"{now.queue:.2f} on average, {now.in_flight:,} now", lambda one: one.queue)
    yield drawn("Busy", f"{now.busy * 100:.0f} % of the time", lambda one: one.busy, 1.0)
    yield drawn("Flush", _flushes(now), lambda one: one.flushes)
    yield drawn("  takes", _takes(now.flush_ms), lambda one: one.flush_ms)
    yield drawn("Discard", _discards(now), lambda one: one.discard_bytes)


def _done(number: float, size: float) -> str:
    return f"{amount(size)}/s: {rate(number)}/s of {amount(size / number)}" if number else "nothing"


def _takes(ms: float | None) -> str:
    return "" if ms is None else f"{duration(ms)} ms each"


def _flushes(now: Rates) -> str:
    if now.flushes is None:
        return "not counted by this kernel (5.5 does)"
    return f"{rate(now.flushes)}/s" if now.flushed else "none counted since boot"


def _discards(now: Rates) -> str:
    if now.discards is None:
        return "not counted by this kernel (4.18 does)"
    return _done(now.discards, now.discard_bytes or 0)


def _mounts(standing: Sequence[Subject], snapshot: Snapshot | None) -> Span:
    """Where the files are that are on it, in a line."""
    if snapshot is None:
        return span("the machine is still being looked at", Tone.DIM)
    points = [short_name(subject) for subject in standing if subject.kind == "mount"]
    if points:
        return span(", ".join(points))
    return span(f"{counted(len(standing), 'thing')}, no mount" if standing else "nothing known", Tone.DIM)


def _who(writing: WritingProcesses, standing: Sequence[Subject]) -> Iterator[Block]:
    """The processes that have files open for writing on it, those that wrote most first."""
    points = {short_name(one) for one in standing if one.kind == "mount"}
    here = [one for one in writing.writers if points & {*(one.mounts or ())}]
    untold = sum(one.mounts is None for one in writing.writers)
    yield Heading("Who writes to it")
    for writer in here[:_MOST_WRITERS]:
        share = writer.waited / writer.samples if writer.samples and writing.unknown is None else None
        waits = "waits in fsync ?" if share is None else f"waits in fsync {share * 100:.0f} %"
        elsewhere = "" if points >= {*(writer.mounts or ())} else ", and elsewhere"
        folders = ", ".join(sorted(points & {*(writer.mounts or ())}))
        figures = span(
            f"{amount(writer.write_bytes)}/s, {waits}", Tone.WARNING if (share or 0) >= _MOSTLY else Tone.PLAIN
        )
        who = (span(writer.name, Tone.STRONG, 40), span(f" {writer.pid}  ", Tone.DIM))
        unit = f", of {writer.unit}" if writer.unit else ""
        yield paragraph(*who, figures, span(f", files open at {folders}{elsewhere}{unit}", Tone.DIM), indent=2)
    if not here:
        yield paragraph(span("No process is seen to have a file open for writing on it.", Tone.DIM))
    if untold:
        words = f"Of {counted(untold, 'process', 'processes')} that wrote it is not known where."
        yield paragraph(span(words, Tone.UNKNOWN))


def _standing(subjects: Sequence[Subject]) -> Iterator[Block]:
    yield Heading("All that stands on it")
    for subject in subjects[:_MOST_ABOVE]:
        yield paragraph(span(f"{subject.kind} ", Tone.DIM), span(short_name(subject)), indent=2)
    if len(subjects) > _MOST_ABOVE:
        yield paragraph(span(f"and {len(subjects) - _MOST_ABOVE:,} more", Tone.DIM))
