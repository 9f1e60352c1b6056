"""The board before the first look: what there is by name, and how far the reading is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.glyphs import Line, Span, Tone, cut, span
from fsadvisor.pages.text import counted
from fsadvisor.tui.views.look import as_people_count
from fsadvisor.tui.views.rows import LazyRows, Row

if TYPE_CHECKING:
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.survey.progress import Glimpse, Progress

_LONGEST: Final = 120


def rows(seen: Glimpse, width: int, glyphs: Glyphs) -> LazyRows:
    """A line each, of which nothing is known yet; the keys are those that the board has for them."""
    drives = sorted(seen.drives, key=as_people_count)
    told = [(f"mount:{point}", point, fs_type) for point, fs_type in seen.mounts]
    told += [(f"disk:{one}", one, "drive") for one in drives]

    def made(at: int) -> Row:
        key, name, what = told[at]
        said = (Span(f"         {glyphs.ellipsis} ", Tone.DIM), span(name, Tone.STRONG, _LONGEST), Span("  "))
        return Row(key, (cut((*said, span(what, Tone.DIM)), width, glyphs.ellipsis),))

    return LazyRows([key for key, _, _ in told], made)


def title(seen: Glimpse) -> Line:
    """The pane's title."""
    numbers = f"{counted(len(seen.mounts), 'mount')}, {counted(len(seen.drives), 'drive')}"
    return (span("Board", Tone.TITLE), span(f"  {numbers}; being read", Tone.DIM))


def words(progress: Progress | None) -> str:
    """How far it is; '' where nobody knows."""
    if progress is None:
        return ""
    if progress.done < progress.of or progress.what == "drives":
        return f"{progress.done:,} of {progress.of:,} {progress.what} read"
    return f"all {progress.of:,} {progress.what} read, judging"
