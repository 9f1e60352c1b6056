"""What a subject stands on down to the hardware, and what stands on it, as the lines of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.pages.spans import Line, Span, Tone, line, span
from fsadvisor.pages.text import counted
from fsadvisor.views.badges import badges, name
from fsadvisor.views.relations import reached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.views.look import Look

_MOST: Final = 40
_LONGEST: Final = 60


class Storey(Struct, frozen=True):
    """A line of the tree; `subject` is the id of what it shows, '' where it shows none."""

    subject: str
    line: Line


def stack(look: Look, subject: str, glyphs: Glyphs) -> list[Storey]:
    """From the top down; what stands on two things is drawn under the first. Nothing where it stands alone."""
    related = look.relations.stack(subject) & look.subjects.keys()
    if len(related) < 2:
        return []
    nodes = list(_walk(look, subject, related, glyphs))
    if len(nodes) > _MOST:
        words = f"and {counted(len(nodes) - _MOST, 'more line')} like these"
        here = next((one for one in nodes[_MOST:] if one.subject == subject), None)
        nodes = [*nodes[:_MOST], *([here] if here else []), Storey("", line(span(f" {words}", Tone.DIM)))]
    return nodes


def _walk(look: Look, subject: str, related: set[str], glyphs: Glyphs) -> Iterator[Storey]:
    """Without recursion: loop devices may stand on each other as high as somebody likes."""
    relations = look.relations
    above = reached(subject, relations.above)
    roots = [one for one in related if one in above and not set(relations.above.get(one, ())) & related]
    waiting = [(one, "", "") for one in sorted(roots, reverse=True)]
    drawn: set[str] = set()
    while waiting:
        here, stem, rest = waiting.pop()
        if here in drawn:
            continue
        drawn.add(here)
        yield Storey(here, _line(look, here, stem, glyphs, is_subject=here == subject))
        children = [one for one in look.subjects[here].below if one in related and one not in drawn]
        for at, child in enumerate(reversed(children)):
            sign, through = (glyphs.tree_last, "  ") if at == 0 else (glyphs.tree_more, glyphs.tree_through)
            waiting.append((child, rest + sign, rest + through))


def _line(look: Look, here: str, stem: str, glyphs: Glyphs, *, is_subject: bool) -> Line:
    shown = look.subjects[here]
    mark = Span(f"{glyphs.right} " if is_subject else "  ", Tone.KEY)
    title = span(name(shown), Tone.STRONG if is_subject else Tone.PLAIN, _LONGEST)
    this = Span(" (this one)", Tone.KEY) if is_subject else Span("")
    kind = Span(f"{shown.kind} ", Tone.DIM)
    return (mark, Span(f"{stem} " if stem else "", Tone.DIM), kind, title, this, Span("  "), *badges(shown, glyphs))
