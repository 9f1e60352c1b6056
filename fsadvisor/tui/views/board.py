"""The figures of the board: what a mount or a drive comes to, in columns that are read from row to row.

A figure that is not known shows as '?', never as none. What is wrong takes the place of figures: it must not be cut.
What is written and read, in the last half minute, stands with its course. A mount's traffic is that of the devices
right below its filesystem: where two stand on the same, both tell the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Known
from fsadvisor.pages.glyphs import NOTHING, UNICODE, Line, Span, Tone, padded
from fsadvisor.pages.plots import bar, history
from fsadvisor.pages.values import amount
from fsadvisor.storage import Disk, Layer
from fsadvisor.tui.views import badges

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.measure.waits.rates import Moment, Rates
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Subject


_FIGURE: Final = 7
_SPARKLINE: Final = 4
_LONG_SPARKLINE: Final = 8
TRAFFIC_WIDTH: Final = _FIGURE + 1 + _SPARKLINE
"""Columns of what is written; `TRAFFIC_LONG_WIDTH` of what is written and what is read."""

TRAFFIC_LONG_WIDTH: Final = 2 * (_FIGURE + 1 + _LONG_SPARKLINE) + 2
_LEAST_TOP: Final = 1 << 20
"""The scale goes up in powers of two, from here, so that it stays while the figures move."""


class Traffic(Struct, frozen=True):
    """`subjects` are those of the snapshot, by id; the newest moment is the last."""

    moments: Sequence[Moment] = ()
    subjects: Mapping[str, Subject] = {}
    top: float = 0.0
    """Bytes per second at which a course is as high as it can be: one scale for all."""


def traffic_of(moments: Sequence[Moment], subjects: Mapping[str, Subject]) -> Traffic:
    """With the scale of what is drawn of it."""
    shown = [rates for one in moments[-2 * _LONG_SPARKLINE :] for rates in (one.disks or {}).values()]
    most = max((max(one.read_bytes, one.write_bytes) for one in shown), default=0.0)
    return Traffic(moments, subjects, float(2 ** math.ceil(math.log2(max(most, _LEAST_TOP)))) if shown else 0.0)


def traffic_cells(traffic: Traffic, subject: Subject, glyphs: Glyphs, *, reads: bool) -> Line:
    """What is written and how that went, with `reads` what is read too; nothing where no sample is there yet."""
    if not traffic.moments or subject.kind not in ("mount", "disk", "layer", "filesystem"):
        return NOTHING
    names = tuple(_devices(subject, traffic.subjects))
    if not names:
        return (Span(" " * (TRAFFIC_LONG_WIDTH if reads else TRAFFIC_WIDTH)),)
    series = [_sums(one, names) for one in traffic.moments[-2 * _LONG_SPARKLINE :]]
    room = _LONG_SPARKLINE if reads else _SPARKLINE
    written = _sparkline("w", [one and one[0] for one in series], room, traffic.top, glyphs)
    if not reads:
        return padded(written, TRAFFIC_WIDTH)
    return (*written, Span("  "), *_sparkline("r", [one and one[1] for one in series], room, traffic.top, glyphs))


def traffic_figures(traffic: Traffic, subject: Subject, glyphs: Glyphs) -> Line:
    """What is written, without its course: for a row that has no columns; nothing where that is nothing."""
    shown = traffic_cells(traffic, subject, glyphs, reads=False)
    figure = shown[1].text.strip() if len(shown) > 1 else ""
    return (Span(f"w {figure}", shown[1].tone),) if figure and shown[1].tone is not Tone.DIM else NOTHING


def traffic_words(traffic: Traffic) -> str:
    """What the columns are, for the title above them."""
    return f"; w, r up to {amount(traffic.top)}/s" if traffic.top else ""


def _sparkline(sign: str, values: Sequence[float | None], room: int, top: float, glyphs: Glyphs) -> Line:
    now = values[-1]
    figure = glyphs.question if now is None else amount(now)
    tone = Tone.PLAIN if any(values) else Tone.DIM
    drawn = history(values, room, glyphs, top)
    return Span(f"{sign} ", Tone.DIM), Span(figure.ljust(_FIGURE - 2), tone), Span(" "), Span(drawn, tone)


def _devices(subject: Subject, subjects: Mapping[str, Subject]) -> Iterator[str]:
    """The kernel's names of the nearest devices: its own, or those right below it."""
    waiting = [subject]
    while waiting:
        below_it = waiting.pop()
        facts = below_it.scope.get(below_it.kind)
        if isinstance(facts, Disk | Layer) and isinstance(facts.name, Known):
            yield facts.name.value
        else:
            waiting += [subjects[below] for below in below_it.below if below in subjects]


def _sums(moment: Moment, names: Sequence[str]) -> tuple[float, float] | None:
    """Written and read; None where any of the devices does not tell."""
    rates: list[Rates] = [moment.disks[name] for name in names if moment.disks and name in moment.disks]
    if len(rates) < len(names):
        return None
    return sum(one.write_bytes for one in rates), sum(one.read_bytes for one in rates)


_NARROW: Final = 70
"""Columns below which the bar is short, and what kind of thing it is stands behind."""

_WIDE: Final = 96
"""Columns from which the flushes' share of an fsync has a bar."""

_WIDEST: Final = 116
"""Columns from which what is read stands beside what is written."""

_FLUSHES: Final = 5
_FSYNC: Final = 14
_PLP: Final = 13
_BAR, _SHORT_BAR = 8, 4
_KIND: Final = 7
_URGENT: Final = {Tone.BAD: 0, Tone.WARNING: 1}
_COMMA: Final = Span(", ", Tone.DIM)


def figures(
    subject: Subject,
    columns_there: int,
    glyphs: Glyphs,
    *,
    measured: Collection[str] = (),
    moving: Traffic | None = None,
    worst: Span | None = None,
) -> Line:
    """All that stands behind the name; `measured` is what is known of any row, and has a column then.

    `moving` is what is written and read meanwhile, `worst` what is wrong now of all that it stands on.
    """
    words = sorted(badges.words(subject, glyphs), key=lambda one: _URGENT.get(one.tone, 2))
    moves = moving is not None and bool(moving.moments) and columns_there >= _NARROW
    narrow = columns_there < (_WIDE if moves else _NARROW)
    cells = _cells(subject, glyphs, narrow=narrow, warm="warmth" in measured)
    plp = padded(protection(subject, glyphs), _PLP)
    wrong = [*([worst] if worst else []), *(one for one in words if one.tone is Tone.BAD)]
    if wrong:
        trimmed = [_trimmed(cell) for cell in cells]
        if moving is not None and moves:
            trimmed.append(traffic_figures(moving, subject, glyphs))
        rest = [one for one in words if one.tone is not Tone.BAD]
        return (*plp, Span("  "), *_listed([*_each_alone(wrong), *(one for one in trimmed if one), *_each_alone(rest)]))
    if moving is not None and moves:
        cells.append(traffic_cells(moving, subject, glyphs, reads=columns_there >= _WIDEST))
    if "fsync" in measured and not narrow and subject.kind == "mount":
        room = _FLUSHES if columns_there >= _WIDE else 0
        cells.append(padded(_fsync(subject, glyphs, room), _FSYNC + (room and room + 7)))
        words = [one for one in words if not one.text.startswith(("fsync ", "fdatasync "))]
    whole: Line = (*plp, *(one for cell in cells for one in (Span("  "), *cell)))
    return (*whole, Span("  "), *_listed(_each_alone(words))) if words else whole


def _each_alone(words: Iterable[Span]) -> list[Line]:
    return [(one,) for one in words]


def _trimmed(cell: Line) -> Line:
    """A column's words without their bar."""
    told = [Span(one.text.strip(), one.tone) for one in cell if one.text.strip()][-1:]
    return tuple(Span(f"{one.text} full", one.tone) if one.text.endswith("%") else one for one in told)


def _listed(parts: Iterable[Line]) -> Line:
    return tuple(one for part in parts for one in (_COMMA, *part))[1:]


def protection(subject: Subject, glyphs: Glyphs) -> Line:
    """The power-loss protection of a drive, or the least of the drives below."""
    facts: Any = subject.scope.get("disk") if subject.kind == "disk" else subject.scope.get("below")
    if facts is None or subject.kind == "service":
        return NOTHING
    fact: Fact[str] = facts.plp
    if isinstance(fact, Known):
        said = str(fact.value)
        return (Span(f"{_sign(said, glyphs)} {badges.protection(said)}", badges.PLP[said]),)
    if fact.cause is Cause.NOT_APPLICABLE:
        return NOTHING
    if fact.cause is Cause.BEING_ASKED:
        return (Span(f"{glyphs.ellipsis} PLP", Tone.DIM),)
    return (Span(f"{glyphs.question} PLP unknown", Tone.UNKNOWN),)


def _sign(state: str, glyphs: Glyphs) -> str:
    """What the word says by shape, too."""
    signs = {"proven": glyphs.tick, "partial": "~", "absent": glyphs.cross, "failed": glyphs.cross}
    return signs.get(state, glyphs.question)


def _cells(subject: Subject, glyphs: Glyphs, *, narrow: bool, warm: bool) -> list[Line]:
    """Columns of their own: what it is, then how full or how worn."""
    if subject.kind == "mount":
        kind, figure = badges.kind(subject, glyphs), _used(subject, glyphs, _SHORT_BAR if narrow else _BAR)
    elif subject.kind == "disk":
        kind, figure = badges.size(subject, glyphs), _wear(subject, glyphs)
        if not narrow:
            warmth = [_warmth(subject, glyphs)] if warm else []
            return [padded(kind, _KIND), padded(figure, _BAR + 2), *warmth]
        figure = padded(figure, _SHORT_BAR + 6)
    else:
        return []
    return [figure] if narrow else [padded(kind, _KIND), figure]


def _used(subject: Subject, glyphs: Glyphs, room: int) -> Line:
    facts: Any = subject.scope.get("filesystem")
    if facts is None:
        return (Span(" " * (room + 6)),)
    fact: Fact[int] = facts.used_percent
    if isinstance(fact, Known):
        told = badges.filled(fact.value, "")
        return (Span(bar(fact.value / 100, room, glyphs), told.tone), Span(f"{told.text.strip():>6}", told.tone))
    if fact.cause is Cause.NOT_APPLICABLE:
        return (Span(" " * (room + 6)),)
    return padded((badges.unknown("used", fact, glyphs),), room + 6)


def _wear(subject: Subject, glyphs: Glyphs) -> Line:
    """How worn an SSD is; a hard disk does not wear by writing."""
    disk: Any = subject.scope["disk"]
    fact: Fact[int] = disk.percentage_used
    if isinstance(fact, Known):
        return (badges.worn(fact.value),)
    spins = isinstance(disk.rotational, Known) and disk.rotational.value
    if spins or fact.cause is Cause.NOT_APPLICABLE:
        return NOTHING
    return (badges.unknown("wear", fact, glyphs),)


def _warmth(subject: Subject, glyphs: Glyphs) -> Line:
    """How warm a drive is, where it says so."""
    disk: Any = subject.scope["disk"]
    now, limit = disk.temperature_c, disk.temperature_limit_c
    if not isinstance(now, Known):
        return (Span(" " * 6),)
    hot = isinstance(limit, Known) and now.value >= limit.value
    return (Span(f"{now.value:>3} {'°C' if glyphs == UNICODE else 'C '}", Tone.WARNING if hot else Tone.PLAIN),)


def measured(subject: Subject) -> Iterator[str]:
    """What of the columns that not every machine has is known of it."""
    scope: Any = subject.scope
    if subject.kind == "mount" and any(
        isinstance(one, Known) for one in (scope["mount"].fsync_us, scope["mount"].commit_us)
    ):
        yield "fsync"
    if subject.kind == "disk" and isinstance(scope["disk"].temperature_c, Known):
        yield "warmth"


def _fsync(subject: Subject, glyphs: Glyphs, room: int) -> Line:
    """What an fsync of 4 KiB takes, and a bar of what its flushes take of that."""
    mount: Any = subject.scope["mount"]
    took, share = mount.fsync_us, mount.flush_share_percent
    took = took if isinstance(took, Known) else mount.commit_us
    if not isinstance(took, Known):
        return NOTHING
    figure = Span(f"fsync {took.value / 1000:.3g} ms".ljust(_FSYNC), Tone.STRONG)
    if not room or not isinstance(share, Known):
        return (figure,)
    return (figure, Span(" "), Span(bar(share.value / 100, room, glyphs), Tone.KEY), Span(f"{share.value:>4.0f} %"))
