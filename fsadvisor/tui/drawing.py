"""Lines of spans become strips of a terminal: the one place where our text meets Textual.

Our themes, as Textual takes them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from textual._styles_cache import StylesCache
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import Widget

from fsadvisor.pages.glyphs import Tone
from fsadvisor.tui import looks
from fsadvisor.tui.looks import GROUNDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.segment import Segment
    from rich.style import Style
    from textual.color import Color
    from textual.css.styles import StylesBase
    from textual.filter import LineFilter
    from textual.geometry import Region, Size, Spacing

    from fsadvisor.pages.glyphs import Line


class _BetweenSides(StylesCache):
    """Textual works out the border and all colours anew for each line: here once for all lines of a paint."""

    _sides: tuple[list[Segment], Style | None, list[Segment]] | None = None
    """What stands left of a line, what fills it up, and what stands right of it."""

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """For one paint."""
        self._sides = None
        return super().render_widget(widget, crop)

    def render_line(
        self,
        styles: StylesBase,
        y: int,
        size: Size,
        inside: Size,
        padding: Spacing,
        base: Color,
        ground: Color,
        line: Callable[[int], Strip],
        *more: Any,  # noqa: ANN401 - Textual's, handed on
    ) -> Strip:
        """A line between its sides; what has more around it is Textual's."""
        draw = partial(super().render_line, styles, y, size, inside, padding, base, ground)
        if any(padding) or size.height != inside.height or not inside.width:
            return draw(line, *more)
        if self._sides is None:
            blank, at = list(draw(lambda _: Strip([]), *more)), bool(styles.border_left[0])
            self._sides = blank[:at], blank[at].style, blank[at + 1 :]
        left, fill, right = self._sides
        return Strip([*left, *line(y).adjust_cell_length(inside.width, fill), *right], size.width)


class Drawn(Widget):
    """Draws lines of spans; what all lines of a paint share is worked out once. It has no outline, and is opaque."""

    _shared: tuple[Mapping[Tone, Style], Style] | None = None

    def __init__(self, *children: Widget, **more: Any) -> None:  # noqa: ANN401 - Textual's
        super().__init__(*children, **more)
        self._styles_cache = _BetweenSides()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Those of the screen; where none of them changed, those that are kept: Textual works out their looks first."""
        kept, lines = self._styles_cache, crop.line_range
        if kept._width == crop.width and kept._dirty_lines.isdisjoint(lines) and not self.app.no_color:
            drawn = [one for y in lines if (one := kept._cache.get(y)) is not None]
            if len(drawn) == crop.height:
                return drawn
        self._share()
        return super().render_lines(crop)

    def _share(self) -> None:
        """What is worked out for each paint."""
        self._shared = tones(self), self.rich_style

    def drawn(self, line: Line, width: int, cursor: Style | None = None) -> Strip:
        """One of them."""
        looks, ground = self._shared or (tones(self), self.rich_style)
        return strip(line, width, looks, ground, cursor)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """None where the tones have colours already: to look through each line for others takes a while."""
        return super().get_line_filters() if self.app.no_color else ()


def tones(widget: Widget) -> Mapping[Tone, Style]:
    """The look of each tone in the theme of the moment."""
    told = getattr(widget.app, "terminal", None)
    return looks.tones(widget.app.theme, not widget.app.no_color, told is None or told.unicode)


def cursor_style(widget: Widget) -> Style:
    """The look of the row under the cursor."""
    return looks.cursor(widget.app.theme, not widget.app.no_color, focused=widget.has_focus)


def strip(line: Line, width: int, tones: Mapping[Tone, Style], ground: Style, cursor: Style | None = None) -> Strip:
    """One line, as wide as the widget."""
    rest = ground + cursor if cursor else ground
    return Strip(looks.segments(line, tones, ground, cursor)).adjust_cell_length(width, rest)


def _theme(name: str) -> Theme:
    """Its colours are those of the tones: Textual's own widgets look like ours."""
    its, tones = GROUNDS[name], looks.tones(name, colour=True, unicode=True)
    good, warning, bad, title = (_colour(tones[one]) for one in (Tone.GOOD, Tone.WARNING, Tone.BAD, Tone.TITLE))
    return Theme(
        name=name,
        primary=title or its.foreground,
        secondary=title,
        accent=its.lit,
        foreground=its.foreground,
        background=its.background,
        surface=its.surface,
        panel=its.panel,
        success=good,
        warning=warning,
        error=bad,
        dark=name != looks.LIGHT,
        variables={"footer-key-foreground": its.lit, "border": its.border},
    )


def _colour(style: Style) -> str | None:
    return style.color.name if style.color else None


THEMES: Final = tuple(_theme(one) for one in looks.NAMES)
