"""What `fsadvisor doctor fsync PATH` says: where a sync's time goes, and what takes which part of it away.

Three sources tell the parts: the kernel's events (--trace), a kept fsync-ladder, or nothing; each says which it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Known, Unknown
from fsadvisor.measure.now.facts import named
from fsadvisor.measure.now.mounts import devices_of
from fsadvisor.pages import plots
from fsadvisor.pages.document import Block, DrawnLines, Gap, paragraph
from fsadvisor.pages.glyphs import UNICODE, clean, line
from fsadvisor.pages.values import day_and_time, duration, rate
from fsadvisor.report.yardsticks import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.measure.now import Device, Filesystem, Program, TracedPlace, Window
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.storage import Subject

_ITEM: Final = line("  - ")
_LABEL: Final = 10
_BAR: Final = 16
_MATTERS: Final = 0.2
"""Share of a sync's time from which on it is worth to say what takes it away."""

_BUSY: Final = 0.9
_TURN: Final = "the processors are busy, and it waits for its turn: less other load, or more processors"
_MIB: Final = 1 << 20


class SyncPart(Struct, frozen=True, kw_only=True):
    """A step of a sync, and its average time."""

    name: str
    ms: float
    words: str
    remedy: str
    rules: tuple[str, ...] = ()
    """Parts of the ids of rules that are about it."""


def fsync_document(
    window: Window, mount: Filesystem, subjects: Sequence[Subject], remedies: Iterable[Verdict]
) -> Iterator[Block]:
    """From the program down to the drive."""
    own = devices_of(mount.mount_point, window)
    traced = next((one for one in (window.traced.places if window.traced else ()) if _is(one, mount)), None)
    yield paragraph(
        f"Where an fsync on {clean(mount.mount_point)} spends its time, in the {window.seconds:.0f} s until "
        f"{day_and_time(window.when)}:"
    )
    yield Gap()
    parts, words = _parts(traced, subjects)
    if (window.processor or 0) >= _BUSY:
        parts = tuple(replace(one, remedy=_TURN) if one.name == "program" else one for one in parts)
    yield paragraph(words)
    yield from _picture(parts)
    yield Gap()
    syncing = [one for one in window.programs if one.syncing and mount.mount_point in one.places]
    yield from _programs(syncing, traced, window)
    yield from _beside(mount, syncing, window)
    yield _labelled("Journal", _journal(window, mount, subjects))
    if len(syncing) > 1:
        yield _labelled("", f"{len(syncing)} programs sync here, and wait for each other's commits")
    for device in _down(window, mount, own):
        yield _labelled("Device", _device(device, window))
    yield from _drives(subjects)
    yield from _remedies(parts, tuple(remedies))
    yield from traced_blocks(window, mount.mount_point)


def _is(one: TracedPlace, place: Filesystem) -> bool:
    return one.mount_point == place.mount_point and one.syncs > 0


def _labelled(label: str, words: str) -> Block:
    return paragraph(words, first=line(label.ljust(_LABEL)), indent=_LABEL)


def _parts(traced: TracedPlace | None, subjects: Sequence[Subject]) -> tuple[tuple[SyncPart, ...], str]:
    """The parts of a sync, from the program down, and what tells them."""
    if traced is not None:
        words = (
            f"{traced.syncs:,} syncs, traced: mean {duration(traced.mean_ms)} ms, median {duration(traced.median_ms)}, "
            f"99 % within {duration(traced.p99_ms)}, longest {duration(traced.longest_ms)}."
        )
        times = (traced.rest_ms, traced.commit_ms, traced.write_ms, traced.flush_ms)
        return tuple(_part(kind, ms) for kind, ms in zip(_KINDS, times, strict=True)), words
    fact = _mount_fact(subjects, "fsync_us")
    if not isinstance(fact, Known):
        why = fact.learn.partition("`: ")[2] if isinstance(fact, Unknown) else ""
        kept = f"An fsync-ladder was kept, but {why}." if why else "How long a sync takes here was not measured."
        return (), (
            f"{kept} `--trace` (root) tells it of the syncs of the look. `fsadvisor probe fsync-ladder DIR` measures "
            "and keeps it."
        )
    sync_ms, measured = fact.value / 1000, fact.source.partition(", ")[0]
    shares = [_known_figure(subjects, f"{name}_share_percent") for name in _STEPS]
    flush = _known_figure(subjects, "flush_us")
    if None not in shares:
        parts = tuple(_part(kind, sync_ms * (share or 0) / 100) for kind, share in zip(_STEPS, shares, strict=True))
    elif flush is not None:
        rest = SyncPart(name="above it", ms=max(sync_ms - flush / 1000, 0), words="data, journal and locks", remedy="")
        parts = (rest, _part("flush", flush / 1000))
    else:
        parts = ()
    unsplit = "" if parts else " Its steps were not sure enough to be told apart."
    return parts, f"A sync takes {duration(sync_ms)} ms here: {measured}.{unsplit}"


_STEPS: Final = ("data", "journal", "flush")
_KINDS: Final = ("program", "journal", "write", "flush")
_SAYS: Final = {
    "program": ("locks, queues, processors", "fewer programs that sync in one directory or file"),
    "journal": (
        "commits, nothing at a device",
        "fewer, larger commits: group commit, batches; several programs share each commit of one journal",
    ),
    "data": (
        "the write itself, at the device",
        "a device that answers a single write sooner; no setting of the filesystem's does",
    ),
    "write": (
        "at a device, no flush",
        "less that is written beside it: the same commit waits for others' data; see Device and Program",
    ),
    "flush": (
        "the drive empties its cache",
        "a drive with power-loss protection, or a controller's cache with a battery: either answers at once",
    ),
}
_RULES: Final = {"journal": ("journal", "commit"), "flush": ("flush", "cache", "barrier")}


def _part(kind: str, ms: float) -> SyncPart:
    words, remedy = _SAYS[kind]
    return SyncPart(name=kind, ms=ms, words=words, remedy=remedy, rules=_RULES.get(kind, ()))


def _known_figure(subjects: Sequence[Subject], name: str, kind: str = "mount") -> float | None:
    """A figure that the survey knows of the place."""
    fact = _mount_fact(subjects, name, kind)
    return fact.value if isinstance(fact, Known) else None


def _mount_fact(subjects: Sequence[Subject], name: str, kind: str = "mount") -> Fact[float] | None:
    facts = [getattr(one.scope[kind], name, None) for one in subjects if one.kind == kind]
    return next((fact for fact in facts if isinstance(fact, Known)), next(iter(facts), None))


def _picture(parts: Sequence[SyncPart]) -> Iterator[Block]:
    total_ms = sum(one.ms for one in parts)
    if not total_ms:
        return
    yield DrawnLines(
        tuple(
            line(
                f"  {part.name:<9}{duration(part.ms):>6} ms {100 * part.ms / total_ms:3.0f} % "
                f"{plots.bar(part.ms / total_ms, _BAR, UNICODE)} {part.words}"
            )
            for part in parts
        )
    )


def _programs(syncing: Sequence[Program], traced: TracedPlace | None, window: Window) -> Iterator[Block]:
    if not syncing:
        yield _labelled("Program", "none was seen to wait in a sync here; look again while it is slow")
    for program in sorted(syncing, key=lambda program: -program.syncing):
        words = f"{named(program)}: waited in a sync in {100 * program.syncing:.0f} % of {window.looks} looks"
        yield _labelled("Program", clean(words))
        for limit in LIMITS:
            if program.name in limit.processes:
                fits = "" if traced is None else f": {'yes' if traced.p99_ms * 1000 <= limit.most_us else 'no'}, here"
                within = "" if traced is None else f" 99 % take {duration(traced.p99_ms)} ms at most"
                yield _labelled("", f"{limit.program} {limit.words}{fits}{within}")


def _beside(mount: Filesystem, syncing: Sequence[Program], window: Window) -> Iterator[Block]:
    """Who writes there without a sync: commits wait for that, too."""
    others = [one for one in window.programs if mount.mount_point in one.places and one not in syncing]
    for one in sorted(others, key=lambda one: -(one.write_bytes or 0))[:2]:
        if one.write_bytes:
            yield _labelled("Beside", clean(f"{named(one)}: writes {one.write_bytes / 1e6:.1f} MB/s"))


def _drives(subjects: Sequence[Subject]) -> Iterator[Block]:
    for subject in subjects:
        if subject.kind != "disk":
            continue
        facts = subject.scope["disk"]
        shown = (
            (text, getattr(facts, name))
            for name, text in (
                ("model", "{}"),
                ("write_cache", "write cache '{}'"),
                ("plp", "power-loss protection: {}"),
                ("flush_ms_avg", "a flush took {} ms since boot"),
            )
        )
        words = ", ".join(text.format(clean(str(fact.value))) for text, fact in shown if isinstance(fact, Known))
        yield _labelled("Drive", f"{clean(subject.name)}: {words or 'not known'}")


def _remedies(parts: Sequence[SyncPart], remedies: Sequence[Verdict]) -> Iterator[Block]:
    """Of each part that matters, what takes it away; then what else the audit has."""
    total_ms = sum(one.ms for one in parts)
    matter = [one for one in parts if total_ms and one.ms >= _MATTERS * total_ms and one.remedy]
    if matter or remedies:
        yield Gap()
        yield paragraph("What takes which part away")
    named_here = []
    for part in matter:
        yield paragraph(f"{part.name}, {duration(part.ms)} ms: {part.remedy}", first=_ITEM, indent=4)
        for verdict in remedies:
            if any(word in verdict.rule.id for word in part.rules):
                named_here.append(verdict)
                yield _remedy(verdict)
    for verdict in remedies:
        if verdict not in named_here:
            yield _remedy(verdict)


def _remedy(verdict: Verdict) -> Block:
    """With what a trial or a probe here told of it."""
    gain = verdict.measured
    tried = f"; measured here: {gain.says}" if gain is not None else "; not tried here"
    words = f"{verdict.rule.title} ({clean(verdict.subject.name)}){tried}: fsadvisor explain {verdict.rule.id}"
    return paragraph(words, first=line("    - "), indent=6)


def traced_blocks(window: Window, mount_point: str = "") -> Iterator[Block]:
    """What --trace adds, and what tracing cost: of all filesystems where the time went, of one alone by whom."""
    traced = window.traced
    if traced is None:
        return
    yield Gap()
    yield paragraph(f"Traced: the kernel's events of {traced.seconds:.1f} s of the look")
    places = [one for one in traced.places if mount_point in ("", one.mount_point)]
    if not places:
        yield paragraph("no call of fsync or fdatasync ended here", first=_ITEM, indent=4)
    for place in places:
        if not mount_point:
            yield from _in_parts(place)
        yield from _by_whom(place)
    for who, many in traced.whole.items():
        yield paragraph(f"{clean(who)} called sync or syncfs {many:,} times: each writes all", first=_ITEM, indent=4)
    if traced.unplaced:
        yield paragraph(f"{traced.unplaced:,} syncs more, of files that can't be told", first=_ITEM, indent=4)
    lost = f"; {traced.lost:,} before these were lost (buffer full)" if traced.lost else ""
    cost = f"cost: {traced.events:,} events{lost}; reading them took {traced.processor_s:.2f} s of a processor"
    yield paragraph(cost, first=_ITEM, indent=4)


def _in_parts(syncs: TracedPlace) -> Iterator[Block]:
    yield paragraph(
        f"{clean(syncs.mount_point)}: {syncs.syncs:,} syncs; median {duration(syncs.median_ms)} ms, "
        f"99 % within {duration(syncs.p99_ms)} ms, longest {duration(syncs.longest_ms)} ms. "
        f"Of the mean, {duration(syncs.mean_ms)} ms:",
        first=_ITEM,
        indent=4,
    )
    parts = (
        (syncs.flush_ms, "a flush was under way in the drive"),
        (syncs.write_ms, "a write was, and no flush"),
        (syncs.commit_ms, "the journal committed, with neither"),
        (syncs.rest_ms, "the rest: locks, queues, processors"),
    )
    for ms, words in parts:
        share = 100 * ms / syncs.mean_ms if syncs.mean_ms else 0.0
        yield paragraph(words, first=line(f"    {duration(ms):>6} ms {share:3.0f} %  "), indent=21)


def _by_whom(syncs: TracedPlace) -> Iterator[Block]:
    for who in syncs.programs:
        of = f", first to wait for {who.flushes:,} of {syncs.flushes:,} flushes" if syncs.flushes else ""
        file = f"; {clean(who.file)}" if who.file else ""
        words = f"{clean(who.name)}: {who.syncs:,} syncs of {duration(who.mean_ms)} ms{of}{file}"
        yield paragraph(words, first=line("    "), indent=6)
    if syncs.commits:
        held = f"; one waited {syncs.held_up_ms:,} ms for operations begun before" if syncs.held_up_ms else ""
        by = f", the longest by {clean(syncs.held_up_by)}" if syncs.held_up_by else ""
        words = f"{syncs.commits:,} commits of the journal, {syncs.asked:,} while a sync waited{held}{by}"
        yield paragraph(words, first=line("    "), indent=6)


def _journal(window: Window, mount: Filesystem, subjects: Sequence[Subject]) -> str:
    names = mount.names
    journal = next(
        (one for one in window.journals if one.device.rpartition("-")[0] in names or one.device in names), None
    )
    log_bytes = _known_figure(subjects, "journal_bytes", "filesystem")
    size = "" if log_bytes is None else f", {int(log_bytes) // _MIB:,} MiB"
    full = max((each.journal_full for each in window.programs if mount.mount_point in each.places), default=0.0)
    waits = f"; it was full, and waited for, in {100 * full:.0f} % of the looks" if full else ""
    if journal is None:
        return f"{mount.type}{size}: it told of no commit in this look{waits}"
    commit = "" if journal.commit_us is None else f"; one takes about {journal.commit_us / 1000:.2f} ms (running mean)"
    each = journal.transactions / window.seconds
    return (
        f"{mount.type}{size}: {each:.0f} commits per second, {journal.requested:,} of {journal.transactions:,} asked "
        f"for by a sync{commit}{waits}"
    )


def _down(window: Window, mount: Filesystem, names: frozenset[str]) -> Iterator[Device]:
    """The filesystem's own device first."""
    devices = [one for one in window.devices if one.name in names]
    yield from sorted(devices, key=lambda one: (one.name != mount.device, not one.below, one.name))


def _added(device: Device, window: Window) -> str:
    """What the layer itself takes: its requests' time without that of the slowest device below it."""
    below = [each for each in window.devices if each.name in device.below]
    delays = []
    for own, under, what in (
        (device.write_ms, [each.write_ms for each in below], "write"),
        (device.flush_ms, [each.flush_ms for each in below], "flush"),
    ):
        known = [ms for ms in under if ms is not None]
        if own is not None and known and own > max(known):
            delays.append(f"{duration(own - max(known))} ms to a {what}")
    return f"; it adds {' and '.join(delays)}" if delays else ""


def _device(device: Device, window: Window) -> str:
    if not device.writes and not device.flushes:
        return f"{clean(device.name)}: nothing was written in this look"
    flushes = (
        "it is sent no flushes"
        if not device.flushes
        else f"{rate(device.flushes)} flushes/s of {duration(device.flush_ms)} ms"
    )
    share = "" if not device.flush else f", one under way in {100 * device.flush:.0f} % of the time"
    writes = (
        "nothing was written"
        if not device.writes
        else f"{rate(device.writes)} writes/s of {duration(device.write_ms)} ms"
    )
    return f"{clean(device.name)}: {writes}; {flushes}{share}{_added(device, window)}"
