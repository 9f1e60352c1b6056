"""A mount's options: those in force beside those that fstab or a unit asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.pages.document import Block, DrawnLines, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, padded, span
from fsadvisor.pages.values import cause
from fsadvisor.storage import Mount

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Subject

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
    pairs = list(_pairs(_of(mount.options), _of(mount.configured_options)))
    asked_for = [pair for pair in pairs if pair[1]]
    if asked_for:
        yield DrawnLines(tuple(_table(asked_for, mount, glyphs)))
    if others := [left for left, right in pairs if not right]:
        title = "in force besides: " if asked_for else "in force: "
        yield paragraph(span(title, Tone.DIM), span(", ".join(others)), first=_IN, indent=4)
    yield Gap()


def _not_known(title: str, fact: Fact[Any]) -> Iterator[Block]:
    if isinstance(fact, Unknown):
        if fact.cause is Cause.NOT_APPLICABLE:
            yield paragraph(span(f"{title}: there are none", Tone.DIM), first=_IN)
        else:
            yield paragraph(span(f"{title}: not known, {cause(fact)}", Tone.UNKNOWN), first=_IN)
            if fact.learn:
                yield paragraph("to learn it: ", fact.learn, first=(Span("    "),))


def _table(pairs: list[tuple[str, str]], mount: Mount, glyphs: Glyphs) -> Iterator[Line]:
    """What belongs together in one line: relatime beside noatime, commit=5 beside commit=60; trouble first."""
    lacking = set(_of(mount.options_not_in_force))
    heads = ("in force", "configured")
    widths = [min(max(len(one[at]) for one in (heads, *pairs)) + 2, _MOST_COLUMNS) for at in (0, 1)]
    yield _line(heads, widths, Span(""), Tone.DIM)
    for pair in sorted(pairs, key=lambda pair: _order(pair, lacking)):
        yield _line(pair, widths, _verdict(pair, mount, glyphs), Tone.PLAIN)


def _verdict(pair: tuple[str, str], mount: Mount, glyphs: Glyphs) -> Span:
    left, right = pair
    if right in _of(mount.options_not_in_force):
        return Span(f"{glyphs.cross} not in force", Tone.BAD)
    if left != right and isinstance(mount.options_not_in_force, Unknown):
        return Span(f"{glyphs.question} not known", Tone.UNKNOWN)
    if left:
        return Span(f"{glyphs.tick} as configured", Tone.GOOD)
    return Span("shows no sign" if _of(mount.options) else "", Tone.DIM)


def _order(pair: tuple[str, str], lacking: set[str]) -> int:
    left, right = pair
    return 0 if right in lacking else 1 if left else 2


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


def _line(pair: tuple[str, str], widths: list[int], verdict: Span, tone: Tone) -> Line:
    cells = (padded((span(text, tone, _LONGEST),), width) for text, width in zip(pair, widths, strict=True))
    return (Span("  "), *(one for cell in cells for one in cell), verdict)


def _of(fact: Fact[tuple[str, ...]]) -> tuple[str, ...]:
    return fact.value if isinstance(fact, Known) else ()
