"""Live: what memory, disks and processes do at this moment, and did in the last minute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.measure.waits.rates import MOMENTS
from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, columns, cut, line, padded, span
from fsadvisor.pages.plots import history, sparkline
from fsadvisor.pages.values import amount, cause, duration, rate
from fsadvisor.tui.views.live_limit import WritingProcesses, limit
from fsadvisor.tui.views.rows import LazyRows, Row, holds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fsadvisor.measure.waits.rates import Moment, Rates
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.live_limit import Writer

RECORDED: Final = (
    "A recording does not move: it holds one moment of another machine.",
    "Live shows the machine that fsadvisor runs on. Start fsadvisor there, without --on, and come back here.",
)
IDLE_KEY: Final = ":idle"
FIRST_KEY: Final = ":first"
"""Rows that are no disks."""

DISK_ORDERS: Final = ("busy time", "bytes written", "bytes read", "latency", "flushes", "name")
WRITER_ORDERS: Final = ("bytes written", "waiting in fsync", "name")

_LEFT: Final = 57
"""Columns of the words at the left of a course."""

_CALM: Final = 10
"""Disks are ordered by the mean of so many seconds, so that rows do not jump."""

_HALF, _BUSY = 0.5, 0.9
_SECOND_AT_MOST: Final = 1.05
_STALLED_PERCENT: Final = 10.0


class LiveSamples(Struct, frozen=True, kw_only=True):
    """All that was sampled up to now. `silent_s` is since when the kernel has not answered, 0 where it does."""

    moments: Sequence[Moment] = ()
    writing: WritingProcesses = WritingProcesses()
    paused: bool = False
    replayed: bool = False
    """Whether a recording is played, and nothing of this machine is seen."""

    silent_s: float = 0.0


def minute_sparkline(
    values: Sequence[float | None], width: int, glyphs: Glyphs, tone: Tone = Tone.DIM, top: float | None = None
) -> Line:
    """A sparkline of the minute; dots stand for the seconds before the first value, where a dot is no level itself."""
    drawn = sparkline(values, width, glyphs, top).lstrip()
    before = " " if glyphs.empty in glyphs.levels else glyphs.empty
    return Span(before * (max(width, 0) - len(drawn)), Tone.DIM), Span(drawn, tone)


def summary(seen: LiveSamples, width: int, glyphs: Glyphs) -> list[Line]:
    """Four lines: dirty pages, those on their way, the pressure, and where the time goes."""
    if not seen.moments:
        return [line(span(" One moment: the first sample is being taken …", Tone.DIM)), NOTHING, NOTHING, NOTHING]
    now = seen.moments[-1]
    memories = [None if isinstance(one.memory, Unknown) else one.memory for one in seen.moments]
    if isinstance(now.memory, Unknown):
        dirty = writeback = line(span("Dirty      ", Tone.STRONG), _not_known(now.memory))
    else:
        dirty, writeback = _dirty(now), _writeback(now)
    return [
        _beside(dirty, [None if one is None else float(one.dirty) for one in memories], width, glyphs),
        _beside(
            writeback,
            [None if one is None or one.writeback is None else float(one.writeback) for one in memories],
            width,
            glyphs,
        ),
        _beside(_pressure(now), [_some(one) for one in seen.moments], width, glyphs, top=100.0),
        cut((Span(" "), *limit(seen.moments, width)), width, glyphs.ellipsis),
    ]


def by_busy(busy: float) -> Tone:
    """The colour of a share of the time, 0 to 1."""
    return Tone.BAD if busy >= _BUSY else Tone.WARNING if busy >= _HALF else Tone.GOOD if busy > 0 else Tone.DIM


def busy_sparkline(values: Sequence[float | None], width: int, glyphs: Glyphs) -> Line:
    """Two seconds a column, from idle to busy all the time, each column in the colour of its value."""
    last = list(values)[-2 * width :]
    shown = (*(None for _ in range(2 * width - len(last))), *last)
    drawn = history(shown, width, glyphs, 1.0)
    tones = [by_busy(max((one for one in pair if one is not None), default=0.0)) for pair in _pairs(shown)]
    joined: list[Span] = []
    for sign, tone in zip(drawn, tones, strict=True):
        if joined and joined[-1].tone is tone:
            joined[-1] = Span(joined[-1].text + sign, tone)
        else:
            joined.append(Span(sign, tone))
    return tuple(joined)


def _pairs(values: Sequence[float | None]) -> Iterator[tuple[float | None, float | None]]:
    return zip(values[::2], values[1::2], strict=True)


def busiest(seen: LiveSamples) -> str:
    """The name of the device that was busy longest in the last seconds; '' where none was."""
    if not seen.moments or not _active(seen):
        return ""
    return min(_active(seen), key=_by(seen, "busy time"))


def disks_title(seen: LiveSamples, order: str, width: int) -> list[Line]:
    """Two lines above the list of disks."""
    known = len(seen.moments[-1].known) if seen.moments else 0
    words = f" Disks by {order}"
    title = line(span(words, Tone.TITLE), span(f"   {known:,} devices; K, M, G are KiB, MiB, GiB", Tone.DIM))
    return [cut(title, width), cut(line(span(_disk_columns(width), Tone.DIM)), width)]


def disk_rows(
    seen: LiveSamples,
    order: str,
    width: int,
    glyphs: Glyphs,
    names: Mapping[str, str],
    *,
    every: bool = False,
    placed: Sequence[str] = (),
) -> Sequence[Row]:
    """The disks that did something in the minute or can't be told; then how many did nothing, or all.

    Those of `placed` keep their places; the others follow in that order.
    """
    if not seen.moments:
        return []
    now = seen.moments[-1]
    if now.disks is None:
        text = _not_known(now.unread) if now.unread else span("One moment: rates need a second sample …", Tone.DIM)
        return [Row(FIRST_KEY, (line(" ", text),))]
    active, listed = _active(seen), now.disks.keys()
    shown = _in_order_of(sorted((now.known & active) | (now.known - listed), key=_by(seen, order)), placed)
    idle = sorted((now.known & listed) - active, key=_natural)
    keys = [*shown, *(idle if every else (IDLE_KEY,) if idle else ())]

    def made(index: int) -> Row:
        if keys[index] == IDLE_KEY:
            words = f" {len(idle):,} {'device was' if len(idle) == 1 else 'devices were'} idle for {_watched(seen)}"
            return Row(IDLE_KEY, (cut(line(span(words, Tone.DIM)), width),))
        return _disk_row(keys[index], seen, width, glyphs, names.get(keys[index], ""))

    def found(words: Sequence[str]) -> list[Row]:
        return [made(at) for at, key in enumerate(keys) if holds(f"{key} {names.get(key, '')}", words)]

    return LazyRows(keys, made, found)


def _in_order_of(names: Sequence[str], placed: Sequence[str]) -> list[str]:
    places = {name: at for at, name in enumerate(placed)}
    return sorted(names, key=lambda name: places.get(name, len(places)))


def writers_title(seen: LiveSamples, order: str, width: int, glyphs: Glyphs) -> list[Line]:
    """Two lines above the list of processes."""
    writing = seen.writing
    remark = f"   {writing.seen:,} asked, {len(writing.writers):,} wrote in the last minute"
    tone = Tone.DIM
    if writing.denied:
        remark = f"   {writing.denied:,} of {writing.seen:,} not known{'' if writing.root else ': run as root'}"
        tone = Tone.UNKNOWN
    words = f" Processes by {order}"
    title = line(span(words, Tone.TITLE), span(remark, tone))
    if writing.unknown is not None:
        heads = f" {'now/s':>7}{'minute':>8}  fsync: {_why(writing.unknown)}"
    else:
        heads = f" {'now/s':>7}{'minute':>8}  waits in fsync (looks)   process, mount, unit"
    return [cut(title, width, glyphs.ellipsis), cut(line(span(heads, Tone.DIM)), width, glyphs.ellipsis)]


def writer_rows(seen: LiveSamples, order: str, width: int, glyphs: Glyphs) -> list[Row]:
    """One line for each process that wrote in the minute."""
    key: Callable[[Writer], object] = {
        "bytes written": lambda one: (-one.minute_bytes, one.pid),
        "waiting in fsync": lambda one: (-_share(one), -one.minute_bytes, one.pid),
        "name": lambda one: (one.name, one.pid),
    }[order]
    ordered = sorted(seen.writing.writers, key=key)  # type: ignore[arg-type]
    return [_writer_row(one, width, glyphs, known=seen.writing.unknown is None) for one in ordered]


def status(seen: LiveSamples, width: int) -> Line:
    """What watching costs, and whether it goes on."""
    if seen.paused:
        state = span(" paused: Space goes on", Tone.WARNING)
    elif seen.silent_s:
        state = span(f" the kernel has not answered for {seen.silent_s:.0f} s; still waiting", Tone.WARNING)
    else:
        state = span(f" a sample each {_interval(seen)}", Tone.DIM)
    if seen.replayed:
        words = " A recording, played over and over, not this machine;"
        return cut(line(span(words, Tone.WARNING), state), width)
    shares = [one.cpu for one in list(seen.moments)[-_CALM:] if one.cpu is not None]
    cost = f"; fsadvisor itself takes {sum(shares) / len(shares):.1%} of a processor" if shares else ""
    left = f"; {seen.writing.left:,} threads were not looked at" if seen.writing.left else ""
    return cut(line(state, span(cost.replace("%", " %") + left, Tone.DIM)), width)


def _interval(seen: LiveSamples) -> str:
    """How far the last samples are apart: more than a second where to take them takes long."""
    last = list(seen.moments)[-_CALM:]
    seconds = (last[-1].at_s - last[0].at_s) / (len(last) - 1) if len(last) > 1 else 1.0
    return "second" if seconds < _SECOND_AT_MOST else f"{seconds:.1f} s"


def _dirty(now: Moment) -> Line:
    memory = now.memory
    if isinstance(memory, Unknown):
        return NOTHING
    waiting = memory.dirty + (memory.writeback or 0)
    tone, words = Tone.DIM, "limit not known"
    if memory.limit:
        share = waiting / memory.limit
        least = "at least " if memory.writeback is None else ""
        words = least + f"{share:.0%}".replace("%", " %") + f" of {amount(memory.limit)}, where writers wait"
        slow = (memory.limit + (memory.background or 0)) / 2
        tone = Tone.BAD if share >= 1 else Tone.WARNING if waiting >= slow else Tone.DIM
        if tone is not Tone.DIM:
            words = words.replace("where writers wait", "writers wait" if share >= 1 else "writers are slowed")
    return line(span("Dirty      ", Tone.STRONG), span(f"{amount(memory.dirty):>6}  "), span(words, tone))


def _writeback(now: Moment) -> Line:
    memory = now.memory
    if isinstance(memory, Unknown) or memory.writeback is None:
        return line(span("Writeback  ", Tone.STRONG), span("not known", Tone.UNKNOWN))
    begins = ""
    if memory.background:
        above = memory.dirty + memory.writeback >= memory.background
        begins = f"{'above' if above else 'below'} {amount(memory.background)}, where the kernel begins"
    return line(span("Writeback  ", Tone.STRONG), span(f"{amount(memory.writeback):>6}  "), span(begins, Tone.DIM))


def _pressure(now: Moment) -> Line:
    pressure = now.pressure
    if isinstance(pressure, Unknown):
        return line(span("I/O stalls ", Tone.STRONG), _not_known(pressure))
    some = pressure.some.avg10_percent if pressure.some else None
    full = pressure.full.avg10_percent if pressure.full else None
    tone = Tone.WARNING if (some or 0) >= _STALLED_PERCENT else Tone.PLAIN
    parts = [
        span(f"{name} {'not known' if value is None else f'{value:.1f} %'}", tone)
        for name, value in (("some", some), ("full", full))
    ]
    return line(span("I/O stalls ", Tone.STRONG), parts[0], ", ", parts[1], span(" of the last 10 s", Tone.DIM))


def _some(moment: Moment) -> float | None:
    told = moment.pressure
    return None if isinstance(told, Unknown) or told.some is None else told.some.avg10_percent


def _beside(words: Line, values: Sequence[float | None], width: int, glyphs: Glyphs, top: float | None = None) -> Line:
    """Words, and their course over the last minute at the right."""
    left = min(_LEFT, max(width - 16, 2))
    room = min(max(width - left - 1, 0), MOMENTS)
    return (
        *padded(cut((Span(" "), *words), left - 1, glyphs.ellipsis), left),
        *minute_sparkline(values, room, glyphs, Tone.PLAIN if any(values) else Tone.DIM, top),
    )


def _name_width(width: int) -> int:
    return 12 if width < 78 else 18 if width < 100 else 30


_WITH_FLUSHES: Final = 73
"""Columns from which there is room for them."""


def _disk_columns(width: int) -> str:
    heads = f" {'device':<{_name_width(width)}}{'read/s':>7}{'write/s':>8}{'IO/s':>6}{'queue':>6}{'r ms':>6}{'w ms':>6}"
    heads += f"{'busy':>6}" + (f"{'flush/s':>8}{'ms':>6}" if width >= _WITH_FLUSHES else "")
    return f"{heads}  0 to 100 % busy" if width >= 100 else heads


def _disk_row(name: str, seen: LiveSamples, width: int, glyphs: Glyphs, called: str) -> Row:
    room = _name_width(width)
    now = (seen.moments[-1].disks or {}).get(name)
    label = padded(cut(line(span(name), span(f" {called}" if called and room > 12 else "", Tone.DIM)), room), room)
    if now is None:
        words = span("not known: its counters have just begun, or cannot be read", Tone.UNKNOWN)
        return Row(name, (cut((Span(" "), *label, words), width, glyphs.ellipsis),), called)
    busy = f"{now.busy:.0%}".replace("%", " %")
    flushes = rate(now.flushes) if now.flushed or now.flushes is None else "none"
    cells = line(
        span(f"{amount(now.read_bytes):>7}{amount(now.write_bytes):>8}{rate(now.requests):>6}{_queue(now):>6}"),
        span(f"{duration(now.read_ms):>6}{duration(now.write_ms):>6}"),
        span(f"{busy:>6}", by_busy(now.busy)),
    )
    flushed = (span(f"{flushes:>8}", Tone.PLAIN if now.flushed else Tone.DIM), span(f"{duration(now.flush_ms):>6}"))
    shown = (Span(" "), *label, *cells, *(flushed if width >= _WITH_FLUSHES else ()))
    left = min(width - columns(shown) - 3, MOMENTS // 2)
    if left > 4:
        rates = ((one.disks or {}).get(name) for one in seen.moments)
        busy_then = [None if one is None else one.busy for one in rates]
        shown = (*shown, Span("  "), *busy_sparkline(busy_then, left, glyphs))
    return Row(name, (cut(shown, width, glyphs.ellipsis),), called)


def _queue(now: Rates) -> str:
    if now.queue == 0:
        return "0"
    return f"{now.queue:.1f}" if now.queue < 99.95 else f"{min(now.queue, 99999):.0f}"


def _writer_row(writer: Writer, width: int, glyphs: Glyphs, *, known: bool) -> Row:
    waits = f"{_share(writer):.0%}".replace("%", " %") if writer.samples and known else "?"
    counted = f"{writer.waited:,} of {writer.samples:,}" if writer.samples and known else ""
    tone = Tone.WARNING if _share(writer) >= 0.5 else Tone.PLAIN
    cancelled = f"  {amount(writer.cancelled_bytes)} never written" if writer.cancelled_bytes else ""
    words = line(
        span(f" {amount(writer.write_bytes):>7}{amount(writer.minute_bytes):>8}  "),
        span(f"{waits:>6}  ", tone),
        span(f"{counted:<16} ", Tone.DIM),
        span(writer.name, longest=40),
        span(f"  {writer.pid}", Tone.DIM),
        span(f"  {', '.join(writer.mounts)}" if writer.mounts else "", longest=40),
        span(f"  {writer.unit}" if writer.unit else "", Tone.DIM, 40),
        span(cancelled, Tone.DIM),
    )
    return Row(str(writer.pid), (cut(words, width, glyphs.ellipsis),))


def _share(writer: Writer) -> float:
    return writer.waited / writer.samples if writer.samples else 0.0


def _watched(seen: LiveSamples) -> str:
    seconds = seen.moments[-1].at_s - seen.moments[0].at_s
    return "the last minute" if seconds >= MOMENTS - 1 else f"the {seconds:.0f} s that were watched"


def _active(seen: LiveSamples) -> frozenset[str]:
    return frozenset().union(*(one.active for one in seen.moments))


def _by(seen: LiveSamples, order: str) -> Callable[[str], tuple[float, tuple[object, ...]]]:
    """Larger first, by the mean of the last seconds."""
    value: Callable[[Rates], float] = {
        "busy time": lambda one: one.busy,
        "bytes written": lambda one: one.write_bytes,
        "bytes read": lambda one: one.read_bytes,
        "latency": lambda one: max(one.read_ms or 0.0, one.write_ms or 0.0),
        "flushes": lambda one: one.flushes or 0.0,
        "name": lambda _: 0.0,
    }[order]
    last = [one.disks or {} for one in list(seen.moments)[-_CALM:]]

    def key(name: str) -> tuple[float, tuple[object, ...]]:
        found = [value(rates) for disks in last if (rates := disks.get(name)) is not None]
        return -sum(found) / len(found) if found else 0.0, _natural(name)

    return key


def _natural(name: str) -> tuple[object, ...]:
    """sdb before sdaa, nvme2n1 before nvme10n1."""
    return name[:2], len(name), name


def _not_known(why: Unknown) -> Span:
    return span(f"not known: {_why(why)}", Tone.UNKNOWN)


def _why(why: Unknown) -> str:
    cure = f"; {why.learn}" if why.learn else ""
    return f"{cause(why)}{f' ({why.source})' if why.source else ''}{cure}"
