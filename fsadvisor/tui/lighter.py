"""What Textual would paint, less what stands on the terminal already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from textual.geometry import Size
    from textual.strip import Strip

    from fsadvisor.tui.wire import Wire


def lighter(wire: Wire, update: CompositorUpdate, size: Size) -> CompositorUpdate:
    """The same update, of which only what is new is sent."""
    return _Lighter(wire, update, size) if isinstance(update, LayoutUpdate | ChopsUpdate) else update


class _Lighter(CompositorUpdate):
    """Worked out when it is sent: an update that Textual drops is not remembered."""

    def __init__(self, wire: Wire, update: LayoutUpdate | ChopsUpdate, size: Size) -> None:
        self._wire = wire
        self._update = update
        self._size = size

    def render_segments(self, console: Console) -> str:
        drawn = _whole(self._update) if isinstance(self._update, LayoutUpdate) else _chops(self._update)
        return self._wire.changes(drawn, self._size, console._color_system)


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
