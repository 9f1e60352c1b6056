"""What Textual would do more often: one paint for all that a key changes, and style sheets parsed once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.css.stylesheet import Stylesheet
from textual.widgets import Input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import App
    from textual.strip import Strip

    from fsadvisor.tui.wire import Wire

_TURN_S: Final = 0.004
"""After which is looked again whether there is more to paint."""

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


class Painting:
    """Sends what was drawn once nothing more is about to be."""

    def __init__(self, app: App[int], wire: Wire) -> None:
        self._app = app
        self.wire = wire
        self._since: float | None = None
        """When the first thing was drawn that is not sent; None where there is none."""

    @property
    def waits(self) -> bool:
        """Whether something is drawn that is not sent."""
        return self._since is not None

    def paint(self, update: LayoutUpdate | ChopsUpdate) -> None:
        """What the compositor tells."""
        app = self._app
        drawn = _whole(update) if isinstance(update, LayoutUpdate) else _chops(update)
        self.wire.draw(drawn, app.size, app.console._color_system)
        if self._since is None:
            loop = asyncio.get_running_loop()
            self._since = loop.time()
            loop.call_soon(self._turn)

    def _turn(self) -> None:
        loop = asyncio.get_running_loop()
        if self._since is not None and self._more() and loop.time() < self._since + _LONGEST_S:
            loop.call_later(_TURN_S, self._turn)
        else:
            self._since = None
            self._send(self.wire.unsent())

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

    def _more(self) -> bool:
        """Whether a widget has something to do yet, or is to be painted anew."""
        app = self._app
        if not app.screen_stack:
            return False
        screen = app.screen
        dirty = screen._layout_required or screen._scroll_required or screen._repaint_required or screen._dirty_widgets
        return bool(dirty) or any(one.message_queue_size for one in (app, screen, *screen.query("*")))


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
