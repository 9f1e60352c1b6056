"""A mount's options: those in force beside those that fstab or a unit asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.report.values import cause
from fsadvisor.storage import Mount
from fsadvisor.views.document import Block, Drawn, Gap, Heading, paragraph
from fsadvisor.views.spans import Line, Span, Tone, padded, span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.storage import Subject
    from fsadvisor.views.glyphs import Glyphs

_IN: Final = (Span("  "),)
_LONGEST: Final = 120
_MOST_COLUMNS: Final = 28
_SAME: Final = {"relatime": "atime", "strictatime": "atime", "ro": "rw"}


def blocks(subject: Subject, glyphs: Glyphs) -> Iterator[Block]:
    """Side by side; nothing of what is no mount."""
    mount = subject.scope.get("mount")
    if subject.kind != "mount" or not isinstance(mount, Mount):
        return
    yield Heading("Options in force, and as configured")
    configured_in = mount.configured_in
    if isinstance(configured_in, Known):
        yield paragraph(span(f"configured in {configured_in.value}", Tone.DIM), first=_IN)
    for title, fact in (("in force", mount.options), ("configured", mount.configured_options)):
        yield from _not_known(title, fact)
    yield Drawn(tuple(_table(mount, glyphs)))
    yield Gap()


def _not_known(title: str, fact: Fact[Any]) -> Iterator[Block]:
    if isinstance(fact, Unknown):
        if fact.cause is Cause.NOT_APPLICABLE:
            yield paragraph(span(f"{title}: there are none", Tone.DIM), first=_IN)
        else:
            yield paragraph(span(f"{title}: not known, {cause(fact)}", Tone.UNKNOWN), first=_IN)
            if fact.learn:
                yield paragraph("to learn it: ", fact.learn, first=(Span("    "),))


def _table(mount: Mount, glyphs: Glyphs) -> Iterator[Line]:
    """What belongs together in one line: relatime beside noatime, commit=5 beside commit=60; trouble first."""
    running, configured = _of(mount.options), _of(mount.configured_options)
    if not running and not configured:
        return
    lacking = set(_of(mount.options_not_in_force))
    width = min(max(len(one) for one in (*running, *configured)) + 2, _MOST_COLUMNS)
    yield _line("in force", "configured", width, Span(""), Tone.DIM)
    pairs = sorted(_pairs(running, configured), key=lambda pair: _order(pair, lacking))
    for left, right in pairs:
        if right in lacking:
            verdict = Span(f"{glyphs.cross} not in force", Tone.BAD)
        elif left and right:
            verdict = Span(f"{glyphs.tick} as configured", Tone.GOOD)
        else:
            verdict = Span("shows no sign" if right and running else "", Tone.DIM)
        yield _line(left, right, width, verdict, Tone.PLAIN)


def _order(pair: tuple[str, str], lacking: set[str]) -> int:
    left, right = pair
    return 0 if right in lacking else 1 if left and right else 2 if right else 3


def _pairs(running: Sequence[str], configured: Sequence[str]) -> Iterator[tuple[str, str]]:
    left = {_about(one): one for one in running}
    for one in configured:
        yield left.pop(_about(one), ""), one
    yield from ((one, "") for one in left.values())


def _about(option: str) -> str:
    """What an option sets: 'atime' of noatime and relatime, 'commit' of commit=5."""
    name = option.partition("=")[0]
    name = name.removeprefix("no")
    return _SAME.get(name, name)


def _line(left: str, right: str, width: int, verdict: Span, tone: Tone) -> Line:
    cells = (padded((span(text, tone, _LONGEST),), width) for text in (left, right))
    return (Span("  "), *(one for cell in cells for one in cell), verdict)


def _of(fact: Fact[tuple[str, ...]]) -> tuple[str, ...]:
    return fact.value if isinstance(fact, Known) else ()
