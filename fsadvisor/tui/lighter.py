"""What Textual would do more often: one paint for all that a key changes, and style sheets parsed once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol, cast

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual._context import visible_screen_stack
from textual.css.stylesheet import Stylesheet
from textual.widget import _RenderCache
from textual.widgets import Input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import App
    from textual.events import Idle
    from textual.geometry import Size
    from textual.screen import Screen
    from textual.strip import Strip

    from fsadvisor.tui.wire import Wire

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
            cast("Painter", screen.app).painting.wanted()

    def _screen_resized(self, size: Size) -> None:
        """A dialog that opens tells the screens below it of the size that they have already."""
        if size != cast("Screen[object]", self)._compositor.size:
            super()._screen_resized(size)  # type: ignore[misc]  # of the Screen that this is mixed into

    def _render_content(self) -> None:
        """Where it is transparent, the lines of the screen below as they are: Textual makes each segment anew."""
        screen = cast("Screen[object]", self)
        below = visible_screen_stack.get()
        if below and screen.styles.background.is_transparent:
            screen._render_cache = _RenderCache(screen.size, below.pop()._compositor.render_strips(screen.size))
            screen._dirty_regions.clear()
        else:
            super()._render_content()  # type: ignore[misc]


class Painter(Protocol):
    """The application."""

    painting: Painting


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
        """Something changed."""
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
