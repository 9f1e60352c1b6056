"""What stands where in the overview, on a screen of any size: the whole place as lines, without its keys."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, cut
from fsadvisor.tui.views import advice, storage_tree
from fsadvisor.tui.views.head import head_line, places_line, waiting_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.look import Look
    from fsadvisor.tui.views.rows import Row
    from fsadvisor.tui.views.storage_tree import Tree

_MODE: Final = "overview"
SIDE_BY_SIDE: Final = 120
"""Columns from which the panes stand side by side."""

BOTH: Final = 17
"""Lines of the place from which there is room for both, one above the other."""

_AROUND: Final = 3
"""Lines of the head and of the keys."""

WHOLE_LINES: Final = 2
"""Lines below the tree that have the whole of its row: badges may be cut."""

_ADVICE_LEAST: Final = 44
"""Columns that the tree leaves for the advice beside it: else it takes what its rows want."""

_WHOLE_ADVICE: Final = 6
"""Lines that a piece of advice takes with all its words in so few columns."""

_SCROLLBAR: Final = 1


class Ground(Enum):
    """What a piece of the screen stands on."""

    PANEL = "panel"
    SURFACE = "surface"
    BACKGROUND = "background"
    BORDER = "border"


class Piece(NamedTuple):
    """So many columns of a line of the screen; `cursor` tells whether a cursor there has the keyboard."""

    line: Line
    columns: int
    ground: Ground
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


def tree_columns(look: Look | None, tree: Tree | None, columns: int, lines: int) -> int:
    """What its rows want, where little advice has room for all its words all the same; else a little over half."""
    wanted = tree.wanted + _SCROLLBAR if tree else 0
    number = len(look.findings) if look else 0
    least = _ADVICE_LEAST if number * _WHOLE_ADVICE <= lines else columns * 5 // 11
    return max(min(wanted, columns - least), columns // 2)


def screen(look: Look | None, name: str, shape: Shape, glyphs: Glyphs) -> list[Pieces]:
    """All lines, as the place is first seen; without a look, that the machine of that name is looked at.

    None where there are no columns: some terminals do not tell how many they have.
    """
    if shape.columns < 1:
        return []
    top = head_line(look, shape.columns, glyphs) if look else waiting_line(name, shape.columns, glyphs)
    head = [(Piece(one, shape.columns, Ground.PANEL),) for one in (top, places_line(_MODE, shape.columns))]
    keys = (Piece(NOTHING, shape.columns, Ground.PANEL),)
    return [*head, *_panes(look, shape, glyphs), keys][: shape.lines]


def _panes(look: Look | None, shape: Shape, glyphs: Glyphs) -> Iterator[Pieces]:
    room, lines = shape.columns, shape.lines - _AROUND
    if lines <= 0:
        return
    if not shape.is_wide and shape.lines < BOTH:
        yield from _advice(look, room, lines, shape, glyphs)
        return
    tree = storage_tree.tree(look, glyphs, storage_tree.folds_of(look)) if look else None
    if not shape.is_wide:
        yield from _advice(look, room, lines // 2, shape, glyphs)
        yield from _tree(look, tree, room, lines - lines // 2, shape, glyphs)
        return
    right = tree_columns(look, tree, room, shape.lines)
    border = Piece((Span(glyphs.border),), 1, Ground.BORDER)
    beside = _tree(look, tree, right, lines, shape, glyphs)
    for one, other in zip(_advice(look, room - right - 1, lines, shape, glyphs), beside, strict=True):
        yield (*one, border, *other)


def _advice(look: Look | None, columns: int, lines: int, shape: Shape, glyphs: Glyphs) -> Iterator[Pieces]:
    """The pane that has the keyboard at first."""
    room = max(columns - shape.gutter, 0)
    yield (_title(advice.title(look, None, "", 0) if look else NOTHING, columns, glyphs, lit=True),)
    rows = advice.rows(look, room, glyphs, roomy=shape.is_wide, height=lines - 1) if look else ()
    empty = advice.nothing(look, None, room - 1) if look else ()
    yield from _list(rows, empty, columns, lines - 1, shape, has_keyboard=True)


def _tree(
    look: Look | None, tree: Tree | None, columns: int, lines: int, shape: Shape, glyphs: Glyphs
) -> Iterator[Pieces]:
    """With nothing below it that tells of a row: none has the keyboard."""
    below = WHOLE_LINES if shape.lines >= BOTH else 0
    yield (_title(storage_tree.title(look) if look else NOTHING, columns, glyphs, lit=False),)
    rows = tree.rows(columns - shape.gutter) if tree else ()
    yield from _list(rows, (), columns, lines - 1 - below, shape, has_keyboard=False)
    yield from [(Piece(NOTHING, columns, Ground.SURFACE),)] * below


def _title(words: Line, columns: int, glyphs: Glyphs, *, lit: bool) -> Piece:
    mark = Span(glyphs.right if lit else " ", Tone.KEY)
    return Piece(cut((mark, *words), columns, glyphs.ellipsis), columns, Ground.SURFACE)


def _list(
    rows: Sequence[Row], empty: Sequence[Line], columns: int, lines: int, shape: Shape, *, has_keyboard: bool
) -> Iterator[Pieces]:
    """As many lines as there are, with the cursor on the first row; of rows, only those that are seen are made."""
    shown = [(one, None if at else has_keyboard) for at, row in enumerate(rows[:lines]) for one in row.lines]
    shown = [*(shown or ((one, None) for one in empty)), *[(NOTHING, None)] * lines]
    for line, cursor in shown[:lines]:
        listed = Piece(line, columns - shape.gutter, Ground.BACKGROUND, cursor)
        yield listed, Piece(NOTHING, shape.gutter, Ground.BACKGROUND)
