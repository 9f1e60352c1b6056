"""What `fsadvisor doctor full PATH` and `fsadvisor doctor fsync PATH` say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known, Unknown
from fsadvisor.measure.now import full
from fsadvisor.measure.now.facts import devices_of, named
from fsadvisor.pages.document import Block, Commands, Gap, paragraph
from fsadvisor.pages.escape import clean
from fsadvisor.pages.glyphs import line
from fsadvisor.pages.values import duration, rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.measure.now.full import Cause, Full
    from fsadvisor.measure.now.model import Device, Filesystem, TracedPlace, Window
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.storage import Subject

_ITEM: Final = line("  - ")
_MIB: Final = 1 << 20


def full_document(told: Full, path: str) -> Iterator[Block]:
    """Which causes hold, safest first; nothing is deleted."""
    yield paragraph(f"The free space at {clean(path)}: {clean(told.subject.name)}, {_room(told.subject)}")
    if not told.causes:
        yield Gap()
        yield paragraph("No cause of a full filesystem that could be told holds.")
    for number, one in enumerate(told.causes, 1):
        yield Gap()
        frees = "" if one.frees is None else f" It frees about {one.frees // _MIB:,} MiB."
        yield paragraph(f"{one.verdict.rule.title}.{frees}", first=line(f"{number}. "), indent=3)
        yield paragraph(f"risk: {one.risk}", first=line("   "), indent=9)
        for name, fact in (one.verdict.facts() | _held_open_by(one)).items():
            if isinstance(fact, Known):
                value = ", ".join(fact.value) if isinstance(fact.value, tuple) else fact.value
                yield paragraph(f"seen: {name} = {clean(str(value))}", first=line("   "), indent=9)
        instructions = one.verdict.instructions()
        yield paragraph(" ".join(instructions.advice.split()), first=line("   do: "), indent=7)
        if instructions.now:
            yield Commands(instructions.now, indent=3)
        elif instructions.no_commands:
            yield paragraph(f"no commands: {clean(instructions.no_commands)}", first=line("   "), indent=5)
        yield paragraph(f"more: fsadvisor explain {one.verdict.rule.id}", first=line("   "))
    yield from _others("Excluded:", told.excluded)
    if told.open:
        yield Gap()
        yield paragraph("Not told:")
        for verdict in told.open:
            name, fact = next(iter(verdict.to_learn().items()))
            yield paragraph(f"{verdict.rule.id}: {name}: {fact.learn or 'not known'}", first=_ITEM, indent=4)


def _held_open_by(one: Cause) -> dict[str, Fact[tuple[str, ...]]]:
    """The processes to look at, of deleted files that are open."""
    if one.verdict.rule.id != "deleted-files-hold-space":
        return {}
    return {"filesystem.deleted_open_by": full.fact(one.verdict.subject, "deleted_open_by")}


def _others(head: str, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    if verdicts:
        yield Gap()
        yield paragraph(head)
    for one in verdicts:
        answer = one.answers()[-1]
        seen = ", ".join(f"{name} = {fact.value}" for name, fact in answer.facts.items() if isinstance(fact, Known))
        yield paragraph(f"{one.rule.id}: {clean(seen)}", first=_ITEM, indent=4)


def _room(subject: Subject) -> str:
    used, inodes = full.fact(subject, "used_percent"), full.fact(subject, "inodes_used_percent")
    words = [f"{used.value} % of the space"] if isinstance(used, Known) else []
    words += [f"{inodes.value} % of the inodes"] if isinstance(inodes, Known) else []
    return f"{' and '.join(words)} in use" if words else "how full it is could not be told"


def fsync_document(
    window: Window, place: Filesystem, facts: Iterable[tuple[str, str]], remedies: Iterable[Verdict]
) -> Iterator[Block]:
    """From the program down to the drive: what each waits for."""
    yield paragraph(
        f"Where an fsync on {clean(place.mount_point)} spends its time: a look of {window.seconds:.1f} s, {window.when}"
    )
    yield Gap()
    yield paragraph("Programs")
    own = devices_of(place.mount_point, window)
    syncing = [one for one in window.programs if one.syncing and place.mount_point in one.places]
    for one in sorted(syncing, key=lambda one: -one.syncing):
        words = f"{named(one)}: waited in a sync in {100 * one.syncing:.0f} % of {window.looks} looks"
        yield paragraph(clean(words), first=_ITEM, indent=4)
    if not syncing:
        yield paragraph("none was seen to wait in a sync here; look again while it is slow", first=_ITEM, indent=4)
    yield Gap()
    yield paragraph("Journal")
    yield paragraph(_journal(window, place), first=_ITEM, indent=4)
    yield Gap()
    yield paragraph("Devices, from the filesystem down")
    for device in _down(window, place, own):
        yield paragraph(_device(device), first=_ITEM, indent=4)
    yield from traced_blocks(window, place.mount_point)
    yield from _list("The drive, and what was measured before", facts)
    yield from _list(
        "Remedies, as the audit has them (fsadvisor explain RULE)",
        ((one.rule.id, f"{one.rule.title} ({clean(one.subject.name)})") for one in remedies),
    )


def traced_blocks(window: Window, mount_point: str = "") -> Iterator[Block]:
    """What --trace adds: where the time of syncs went, of one filesystem or of all, and what tracing cost."""
    traced = window.traced
    if traced is None:
        return
    yield Gap()
    yield paragraph(f"Traced: the kernel's events of {traced.seconds:.1f} s of the look")
    places = [one for one in traced.places if mount_point in ("", one.mount_point)]
    if not places:
        yield paragraph("no call of fsync or fdatasync ended here", first=_ITEM, indent=4)
    for one in places:
        yield from _traced_place(one)
    for who, many in traced.whole.items():
        yield paragraph(f"{clean(who)} called sync or syncfs {many:,} times: each writes all", first=_ITEM, indent=4)
    if traced.unplaced:
        yield paragraph(f"{traced.unplaced:,} syncs more, of files that can't be told", first=_ITEM, indent=4)
    lost = f"; {traced.lost:,} before these were lost (buffer full)" if traced.lost else ""
    cost = f"cost: {traced.events:,} events{lost}; reading them took {traced.processor_s:.2f} s of a processor"
    yield paragraph(cost, first=_ITEM, indent=4)


def _traced_place(one: TracedPlace) -> Iterator[Block]:
    yield paragraph(
        f"{clean(one.mount_point)}: {one.syncs:,} syncs; median {duration(one.median_ms)} ms, 99 % within "
        f"{duration(one.p99_ms)} ms, longest {duration(one.longest_ms)} ms. Of the mean, {duration(one.mean_ms)} ms:",
        first=_ITEM,
        indent=4,
    )
    parts = (
        (one.flush_ms, "a flush was under way in the drive"),
        (one.write_ms, "a write was, and no flush"),
        (one.commit_ms, "the journal committed, with neither"),
        (one.rest_ms, "the rest: locks, queues, processors"),
    )
    for ms, words in parts:
        share = 100 * ms / one.mean_ms if one.mean_ms else 0.0
        yield paragraph(words, first=line(f"    {duration(ms):>6} ms {share:3.0f} %  "), indent=21)
    for who in one.programs:
        of = f", first to wait for {who.flushes:,} of {one.flushes:,} flushes" if one.flushes else ""
        file = f"; {clean(who.file)}" if who.file else ""
        words = f"{clean(who.name)}: {who.syncs:,} syncs of {duration(who.mean_ms)} ms{of}{file}"
        yield paragraph(words, first=line("    "), indent=6)
    if one.commits:
        held = f"; one waited {one.held_up_ms:,} ms for operations begun before" if one.held_up_ms else ""
        by = f", the longest by {clean(one.held_up_by)}" if one.held_up_by else ""
        words = f"{one.commits:,} commits of the journal, {one.asked:,} while a sync waited{held}{by}"
        yield paragraph(words, first=line("    "), indent=6)


def _list(head: str, pairs: Iterable[tuple[str, str]]) -> Iterator[Block]:
    rows = tuple(pairs)
    if rows:
        yield Gap()
        yield paragraph(head)
    for name, words in rows:
        yield paragraph(f"{name}: {clean(words)}", first=_ITEM, indent=4)


def _journal(window: Window, place: Filesystem) -> str:
    one = next((one for one in window.journals if one.device in (place.device, place.source.rpartition("/")[2])), None)
    if one is None:
        return f"{place.type} told of no commit in this look"
    commit = "" if one.commit_us is None else f"; a commit takes about {one.commit_us / 1000:.2f} ms (running mean)"
    each = one.transactions / window.seconds
    return f"{each:.0f} commits per second, {one.requested:,} of {one.transactions:,} asked for by a sync{commit}"


def _down(window: Window, place: Filesystem, names: frozenset[str]) -> Iterator[Device]:
    """The filesystem's own device first."""
    devices = [one for one in window.devices if one.name in names]
    yield from sorted(devices, key=lambda one: (one.name != place.device, not one.below, one.name))


def _device(one: Device) -> str:
    flushes = (
        "it is sent no flushes" if not one.flushes else f"{rate(one.flushes)} flushes/s of {duration(one.flush_ms)} ms"
    )
    share = "" if not one.flush else f", one under way in {100 * one.flush:.0f} % of the time"
    writes = "nothing was written" if not one.writes else f"{rate(one.writes)} writes/s of {duration(one.write_ms)} ms"
    return f"{clean(one.name)}: {writes}; {flushes}{share}"


def measured(subjects: Iterable[Subject]) -> Iterator[tuple[str, str]]:
    """What the survey knows of the drive's cache and of kept probes."""
    for subject in subjects:
        names = {
            "disk": ("plp", "write_cache", "flush_ms_avg", "model"),
            "filesystem": ("barriers", "journal_bytes"),
            "mount": ("fsync_us", "flush_us", "flush_share_percent", "commit_p99_us"),
        }.get(subject.kind, ())
        for name in names:
            fact = getattr(subject.scope[subject.kind], name)
            if not isinstance(fact, Unknown):
                yield f"{subject.kind}.{name} of {clean(subject.name)}", str(fact.value)
