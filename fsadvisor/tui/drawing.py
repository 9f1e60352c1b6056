"""Lines of spans become strips of a terminal, painted once for all that a key changes: where our text meets Textual.

Our themes, as Textual takes them. And what Textual would do more often: paint, parse style sheets, and leave screens.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual._context import visible_screen_stack
from textual._styles_cache import StylesCache
from textual.await_complete import AwaitComplete
from textual.css.stylesheet import Stylesheet
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import Widget, _RenderCache
from textual.widgets import Input

from fsadvisor.pages.glyphs import Tone
from fsadvisor.tui import themes
from fsadvisor.tui.themes import COLOURS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.segment import Segment
    from rich.style import Style
    from textual.app import App
    from textual.color import Color
    from textual.css.styles import StylesBase
    from textual.events import Idle
    from textual.filter import LineFilter
    from textual.geometry import Region, Size, Spacing
    from textual.screen import Screen

    from fsadvisor.pages.glyphs import Glyphs, Line
    from fsadvisor.tui.terminal import Terminal
    from fsadvisor.tui.wire import Wire


class _BetweenSides(StylesCache):
    """Textual works out the border and all colours anew for each line: here once for all lines of a paint."""

    _sides: tuple[list[Segment], Style | None, list[Segment]] | None = None
    """What stands left of a line, what fills it up, and what stands right of it."""

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """Textual's; what sides of frames are drawn with is kept for one paint."""
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
        background: Color,
        line: Callable[[int], Strip],
        *more: Any,  # noqa: ANN401 - Textual's, handed on
    ) -> Strip:
        """A line between its sides; what has more around it is Textual's."""
        draw = partial(super().render_line, styles, y, size, inside, padding, base, background)
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

    @property
    def glyphs(self) -> Glyphs:
        """The terminal's signs."""
        return cast("PaintingApp", self.app).glyphs

    def render_lines(self, crop: Region) -> list[Strip]:
        """Those of the screen; where none of them changed, those that are kept: Textual works out styles first."""
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
        """A line as a strip of the terminal's."""
        styles, background = self._shared or (tones(self), self.rich_style)
        return strip(line, width, styles, background, cursor)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """None where the tones have colours already: to look through each line for others takes a while."""
        return super().get_line_filters() if self.app.no_color else ()


def tones(widget: Widget) -> Mapping[Tone, Style]:
    """The style of each tone in the theme of the moment."""
    told = getattr(widget.app, "terminal", None)
    return themes.tones(widget.app.theme, not widget.app.no_color, told is None or told.unicode)


def cursor_style(widget: Widget) -> Style:
    """The style of the row under the cursor."""
    return themes.cursor(widget.app.theme, not widget.app.no_color, focused=widget.has_focus)


def strip(line: Line, width: int, tones: Mapping[Tone, Style], background: Style, cursor: Style | None = None) -> Strip:
    """One line, as wide as the widget."""
    rest = background + cursor if cursor else background
    return Strip(themes.segments(line, tones, background, cursor)).adjust_cell_length(width, rest)


def _theme(name: str) -> Theme:
    """Its colours are those of the tones: Textual's own widgets look like ours."""
    its, tones = COLOURS[name], themes.tones(name, colour=True, unicode=True)
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
        dark=name != themes.LIGHT,
        variables={"footer-key-foreground": its.lit, "border": its.border},
    )


def _colour(style: Style) -> str | None:
    return style.color.name if style.color else None


THEMES: Final = tuple(_theme(one) for one in themes.NAMES)


_TURN_S: Final = 0.001
"""After which is looked again whether there is more to do."""

_LONGEST_S: Final = 0.06
"""For which a paint waits for more at most."""


class ParsedOnce(Stylesheet):
    """Textual parses each style sheet anew whenever a screen is first seen; with the same colours they stay parsed."""

    def set_variables(self, variables: dict[str, str]) -> None:
        """Other colours, where they are others."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """What is not parsed yet."""
        self.parse()


class PaintedOnce:
    """A screen that is painted once nothing more is to be done; Textual's own is each sixtieth of a second."""

    async def _on_idle(self, event: Idle) -> None:
        screen = cast("Screen[object]", self)
        if is_to_be_painted(screen):
            event.prevent_default()
            cast("PaintingApp", screen.app).painting.wanted()

    def _screen_resized(self, size: Size) -> None:
        """A dialog that opens tells the screens below it of the size that they have already."""
        if size != cast("Screen[object]", self)._compositor.size:
            super()._screen_resized(size)  # type: ignore[misc]  # of the Screen that this is mixed into

    def _render_content(self) -> None:
        """Where it is transparent, the lines of the screen below as they are: Textual makes each segment anew."""
        screen = cast("Screen[object]", self)
        below = visible_screen_stack.get([])
        if below and screen.styles.background.is_transparent:
            screen._render_cache = _RenderCache(screen.size, below.pop()._compositor.render_strips(screen.size))
            screen._dirty_regions.clear()
        else:
            super()._render_content()  # type: ignore[misc]


class LeftOnce:
    """A screen that is left only while it is the topmost: keys come faster than it goes, and Textual removes any."""

    def dismiss(self, result: object = None) -> AwaitComplete:
        """Leave it; nothing where it was left, or lies below another."""
        if not cast("Screen[object]", self).is_active:
            return cast("AwaitComplete", AwaitComplete.nothing())  # type: ignore[no-untyped-call]
        return super().dismiss(result)  # type: ignore[misc, no-any-return]  # of the Screen that this is mixed into


class PaintingApp(Protocol):
    """The application, as far as what is drawn knows it: that is below it."""

    painting: Painting
    glyphs: Glyphs
    terminal: Terminal


def is_to_be_painted(screen: Screen[object]) -> bool:
    """Whether anything of it changed, and it has the keyboard: Textual's own way is good enough for those below it."""
    one = screen
    changed = one._layout_required or one._scroll_required or one._repaint_required or one._recompose_required
    return bool((changed or one._dirty_widgets) and one.is_active and not one.app._batch_count)


class Painting:
    """Draws and sends once nothing more is about to change."""

    def __init__(self, app: App[int], wire: Wire) -> None:
        self._app = app
        self.wire = wire
        self._since: float | None = None
        """Since when something waits to be drawn or sent; None where nothing does."""

    @property
    def waits(self) -> bool:
        """Whether something is not sent."""
        return self._since is not None

    def wanted(self) -> None:
        """Ask for a paint: something changed."""
        if self._since is None:
            loop = asyncio.get_running_loop()
            self._since = loop.time()
            loop.call_soon(self._turn)

    def is_settled(self) -> bool:
        """Whether nothing is about to change."""
        app = self._app
        return app._exit or not (self._is_busy() or is_to_be_painted(app.screen) or app.screen._callbacks)

    def paint(self, update: LayoutUpdate | ChopsUpdate) -> None:
        """What the compositor tells."""
        app = self._app
        drawn = _whole(update) if isinstance(update, LayoutUpdate) else _chops(update)
        self.wire.draw(drawn, app.size, app.console._color_system)
        self.wanted()

    def _turn(self) -> None:
        app, loop = self._app, asyncio.get_running_loop()
        if app._exit or self._since is None:
            return
        is_late = loop.time() >= self._since + _LONGEST_S
        screen = app.screen if app.screen_stack else None
        if screen and (is_late or not self._is_busy()):
            self._draw(screen)
        if screen and not is_late and (self._is_busy() or is_to_be_painted(screen)):
            loop.call_later(_TURN_S, self._turn)
            return
        self._since = None
        self._send(self.wire.unsent())
        if screen and is_to_be_painted(screen):
            self.wanted()

    def _draw(self, screen: Screen[object]) -> None:
        if is_to_be_painted(screen):
            try:
                with screen._context():
                    screen._on_timer_update()
            except Exception as error:  # noqa: BLE001 - as Textual's timers do
                self._app._handle_exception(error)

    def _is_busy(self) -> bool:
        """Whether a widget has something to do yet."""
        pumps = (self._app, *self._app.screen.walk_children(with_self=True))
        return any(one.message_queue_size for one in pumps)

    def _send(self, painted: str) -> None:
        """To the terminal; its hidden cursor is put where one types."""
        app = self._app
        driver = app._driver
        if not painted or app._closed or driver is None:
            return
        app._begin_update()
        driver.write(painted)
        if isinstance(app.focused, Input):
            x, y = app.screen.outer_size.clamp_offset(app.cursor_position)
            driver.write(f"\x1b[{y + 1};{x + 1}H")
        app._end_update()
        driver.flush()


def _whole(update: LayoutUpdate) -> Iterator[tuple[int, int, Strip]]:
    for y, line in enumerate(update.strips, update.region.y):
        x = update.region.x
        for strip in line:
            yield x, y, strip
            x += strip.cell_length


def _chops(update: ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    """What Textual's own would send of each span."""
    for y, first, last in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is not None and x <= last and end > first:
                yield x, y, strip if end <= last else strip.crop(0, last - x)
