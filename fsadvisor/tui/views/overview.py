"""What stands where in the overview, on a screen of any size: the whole place as lines, without its keys."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, cut, span
from fsadvisor.pages.glyphs import columns as width_of
from fsadvisor.pages.values import counted
from fsadvisor.tui.views import advice, finding, storage_tree
from fsadvisor.tui.views.head import head_line, noted, places_line, waiting_line
from fsadvisor.tui.views.rows import LazyRows, Row
from fsadvisor.tui.views.snapshot import as_people_count, finding_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.survey.progress import Glimpse, Progress
    from fsadvisor.tui.views.snapshot import Snapshot


_MODE: Final = "overview"
SIDE_BY_SIDE: Final = 120
"""Columns from which the selected finding stands beside the lists."""

BOTH: Final = 17
"""Lines of the place from which there is room for both lists, one above the other, and for the finding."""

_AROUND: Final = 3
"""Lines of the head and of the keys."""

_DETAIL: Final = (44, 90)
"""Columns of the finding beside the lists, at least and at most; between them, three of eight."""


class Background(Enum):
    """What a piece of the screen stands on."""

    PANEL = "panel"
    SURFACE = "surface"
    BACKGROUND = "background"
    BORDER = "border"
    LIT = "lit"
    """The border of the pane that has the keyboard."""


class Piece(NamedTuple):
    """So many columns of a line of the screen; `cursor` tells whether a cursor there has the keyboard."""

    line: Line
    columns: int
    background: Background
    cursor: bool | None = None
    """None where no cursor stands."""


Pieces: TypeAlias = tuple[Piece, ...]


class Shape(NamedTuple):
    """The screen; `gutter` are the columns that a list keeps for its scrollbar."""

    columns: int
    lines: int
    gutter: int

    @property
    def is_wide(self) -> bool:
        """Whether the panes stand side by side."""
        return self.columns >= SIDE_BY_SIDE


class Layout(NamedTuple):
    """Columns with their frames, and lines without; `alone` where there is room for one list only."""

    wide: bool
    alone: bool
    left: int
    right: int
    board: int
    advice: int
    detail: int


def layout(shape: Shape, rows: int, pieces: int) -> Layout:
    """For so many rows of the board and pieces of advice; neither takes what the other needs."""
    room, columns = max(shape.lines - _AROUND, 0), shape.columns
    if shape.is_wide:
        right = min(max(columns * 3 // 8, _DETAIL[0]), _DETAIL[1])
        board, listed = _shared(room - 3, rows, pieces)
        return Layout(True, False, columns - right, right, board, listed, max(room - 2, 0))
    if shape.lines < BOTH:
        return Layout(False, True, columns, columns, max(room - 2, 0), max(room - 2, 0), 0)
    detail = max((room - 4) * 2 // 5, 3)
    board, listed = _shared(room - 4 - detail, rows, pieces)
    return Layout(False, False, columns, columns, board, listed, detail)


def _shared(lines: int, rows: int, pieces: int) -> tuple[int, int]:
    lines = max(lines, 0)
    board = max(min(max(rows, 1), max(lines - max(pieces, 3), lines // 2)), 0)
    return board, lines - board


def edge(joints: str, title: Line, columns: int, glyphs: Glyphs, *, lit: bool = False) -> Pieces:
    """A line of a frame, with the title of the pane below it; `joints` are its ends."""
    dash, background = glyphs.frame[7], Background.LIT if lit else Background.BORDER
    if columns < len(joints) + 4:
        return (Piece((Span(dash * columns),), columns, background),)
    heading = (Span(" "), *cut(title, columns - 6, glyphs.ellipsis), Span(" ")) if title else NOTHING
    taken = width_of(heading)
    first = Piece((Span(f"{joints[0]}{glyphs.right if lit else dash}"),), 2, background)
    last = Piece((Span(f"{dash * (columns - 3 - taken)}{joints[1]}"),), columns - 2 - taken, background)
    return (first, Piece(heading, taken, Background.BACKGROUND), last) if heading else (first, last)


def screen(
    snapshot: Snapshot | None, name: str, shape: Shape, glyphs: Glyphs, seen: Glimpse | None = None, note: str = ""
) -> list[Pieces]:
    """All lines, as the place is first seen; without a snapshot, that the machine of that name is looked at.

    `seen` is what there is by name, as far as that is known before the snapshot; `note` ends its first line.

    None where there are no columns: some terminals do not tell how many they have.
    """
    if shape.columns < 1:
        return []
    top = noted(
        lambda room: head_line(snapshot, room, glyphs) if snapshot else waiting_line(name, room, glyphs),
        note,
        shape.columns,
    )
    head = [(Piece(one, shape.columns, Background.PANEL),) for one in (top, places_line(_MODE, shape.columns))]
    keys = (Piece(NOTHING, shape.columns, Background.PANEL),)
    return [*head, *_panes(snapshot, shape, glyphs, seen)][: max(shape.lines - 1, 0)] + [keys][: shape.lines]


def _panes(snapshot: Snapshot | None, shape: Shape, glyphs: Glyphs, seen: Glimpse | None) -> Iterator[Pieces]:
    tree = storage_tree.tree(snapshot, glyphs, storage_tree.Folds()) if snapshot else None
    number = len(tree.nodes) if tree else len((*seen.mounts, *seen.drives)) if seen else 0
    named = (lambda columns: glimpse_rows(seen, columns, glyphs)) if seen else _none
    title = storage_tree.title(snapshot) if snapshot else glimpse_title(seen) if seen else NOTHING
    there = layout(shape, number, len(snapshot.findings) if snapshot else 0)
    top, joint, end = (glyphs.frame[at : at + 2] for at in (0, 2, 4))
    left = [
        edge(top, title, there.left, glyphs),
        *_list(tree.rows if tree else named, (), there.left, there.board, shape, glyphs, lit=False),
    ]
    advised = [
        edge(top if there.alone else joint, _advice_title(snapshot), there.left, glyphs, lit=True),
        *_advice(snapshot, there, shape, glyphs),
    ]
    if there.alone:
        yield from [*advised, edge(end, NOTHING, there.left, glyphs)]
        return
    detail = [
        edge(top if there.wide else joint, detail_title(snapshot, 0) if snapshot else NOTHING, there.right, glyphs),
        *_detail(snapshot, there, glyphs),
        edge(end, NOTHING, there.right, glyphs),
    ]
    if there.wide:
        left = [*left, *advised, edge(end, NOTHING, there.left, glyphs)]
        yield from ((*one, *other) for one, other in zip(left, detail, strict=False))
    else:
        yield from [*left, *advised, *detail]


def _none(_columns: int) -> Sequence[Row]:
    return ()


def _advice_title(snapshot: Snapshot | None) -> Line:
    return advice.title(snapshot, None, "", 0) if snapshot else NOTHING


def detail_title(snapshot: Snapshot, rank: int) -> Line:
    """Of the finding at that place of the ranking, from 0."""
    number = len(snapshot.findings)
    if rank >= number:
        return NOTHING
    return (Span("Finding", Tone.TITLE), Span(f"  {rank + 1:,} of {number:,}", Tone.DIM))


def _advice(snapshot: Snapshot | None, there: Layout, shape: Shape, glyphs: Glyphs) -> Iterator[Pieces]:
    """The pane that has the keyboard at first."""

    def rows(columns: int) -> Sequence[Row]:
        return advice.rows(snapshot, columns, glyphs, height=there.advice) if snapshot else ()

    empty = advice.nothing(snapshot, None, max(there.left - 2 - shape.gutter, 1) - 1) if snapshot else ()
    return _list(rows, empty, there.left, there.advice, shape, glyphs, lit=True)


def _detail(snapshot: Snapshot | None, there: Layout, glyphs: Glyphs) -> Iterator[Pieces]:
    room = max(there.right - 2, 0)
    key = finding_key(snapshot.findings[0]) if snapshot and snapshot.findings else ""
    lines = list(finding.beside_list(snapshot, key, room, glyphs))[: there.detail] if snapshot else []
    for detail in [*lines, *[NOTHING] * (there.detail - len(lines))]:
        yield _framed((Piece(detail, room, Background.BACKGROUND),), there.right, glyphs, lit=False)


def _framed(inside: Pieces, columns: int, glyphs: Glyphs, *, lit: bool) -> Pieces:
    side = Piece((Span(glyphs.frame[6]),), 1, Background.LIT if lit else Background.BORDER)
    return (side, *inside, side) if columns > 1 else (side,)


def _list(
    build: Callable[[int], Sequence[Row]],
    empty: Sequence[Line],
    columns: int,
    lines: int,
    shape: Shape,
    glyphs: Glyphs,
    *,
    lit: bool,
) -> Iterator[Pieces]:
    """As many lines as there are, with the cursor on the first row; of rows, only those that are seen are made."""
    inside = max(columns - 2, 0)
    gutter = min(shape.gutter, inside)
    rows = build(inside - gutter)
    shown = [(one, None if at else lit) for at, row in enumerate(rows[:lines]) for one in row.lines]
    shown = [*(shown or ((one, None) for one in empty)), *[(NOTHING, None)] * lines]
    for line, cursor in shown[:lines]:
        listed = Piece(line, inside - gutter, Background.BACKGROUND, cursor)
        gap = Piece(NOTHING, gutter, Background.BACKGROUND)
        yield _framed((listed, gap), columns, glyphs, lit=lit)


_LONGEST_NAME: Final = 120


def glimpse_rows(seen: Glimpse, width: int, glyphs: Glyphs) -> LazyRows:
    """A line each, of which nothing is known yet; the keys are those that the board has for them."""
    drives = sorted(seen.drives, key=as_people_count)
    entries = [(f"mount:{point}", point, fs_type) for point, fs_type in seen.mounts]
    entries += [(f"disk:{one}", one, "drive") for one in drives]

    def made(index: int) -> Row:
        key, name, what = entries[index]
        said = (Span(f"         {glyphs.ellipsis} ", Tone.DIM), span(name, Tone.STRONG, _LONGEST_NAME), Span("  "))
        return Row(key, (cut((*said, span(what, Tone.DIM)), width, glyphs.ellipsis),))

    return LazyRows([key for key, _, _ in entries], made)


def glimpse_title(seen: Glimpse) -> Line:
    """The pane's title."""
    numbers = f"{counted(len(seen.mounts), 'mount')}, {counted(len(seen.drives), 'drive')}"
    return (span("Board", Tone.TITLE), span(f"  {numbers}; being read", Tone.DIM))


def how_far(progress: Progress | None) -> str:
    """How far it is; '' where nobody knows."""
    if progress is None:
        return ""
    if progress.done < progress.of or progress.what == "drives":
        return f"{progress.done:,} of {progress.of:,} {progress.what} read"
    return f"all {progress.of:,} {progress.what} read, judging"
