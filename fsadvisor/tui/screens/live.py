"""Live: what memory, disks and processes do at this moment, and did in the last minute."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import Container, Vertical

from fsadvisor.pages.document import Document, Gap, paragraph
from fsadvisor.tui.actions import Action
from fsadvisor.tui.sampling import LiveSampler
from fsadvisor.tui.screen import ExplorerScreen
from fsadvisor.tui.views import live, live_disk
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView, LinesView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from fsadvisor.tui.views.snapshot import Snapshot

_SECOND: Final = 1.0
_LEAST: Final = 3
_MOST: Final = 0.45
"""Of the screen's lines, for the disks; `_OPENED` where one of them takes room below."""

_OPENED: Final = 0.12
_NO_DISKS: Final = (live.FIRST_KEY, live.IDLE_KEY)


class Live(ExplorerScreen):
    """Samples while it is seen, and only then."""

    NAME = "Live"
    MODE = "live"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "The disk under the cursor: what it reads, writes and flushes, drawn"),
        Action("pause", "space", "Pause", "Stop sampling, and keep what is on the screen; again: go on"),
        Action("order", "s", "Order", "Another order of the list that has the keyboard"),
        Action("every", "a", "All", "Show the devices that were idle for a minute, too"),
        Action("finding", "f", "Finding", "The gravest advice on the disk under the cursor, and on what stands on it"),
        Action("open_subject", "o", "Facts", "All that is known of the disk under the cursor", shown=False),
        Action("ladder", "m", "Measure", "What an fsync on it is made of: data, journal and flush", shown=False),
        Action("close", "escape", "Close", "Close the disk that Enter has opened", shown=False),
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("d", "app.doctor", "Now")]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (136, "-wide"), (190, "-widest")]  # noqa: RUF012 - Textual's own
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-tall")]  # noqa: RUF012 - Textual's own
    DEFAULT_CSS = """
    Live.-tall #disks_title, Live.-tall #writers_title { margin-top: 1; }
    Live #panes { height: 1fr; }
    Live #lists { height: 1fr; }
    Live #disks { height: 3; }
    Live #writers { height: 1fr; min-height: 4; }
    Live #disk { display: none; }
    Live.-opened.-narrow #lists { height: auto; }
    Live.-opened.-narrow #writers, Live.-opened.-narrow #writers_title { display: none; }
    Live.-opened.-narrow #disk { display: block; }
    Live.-wide #panes, Live.-widest #panes { layout: horizontal; }
    Live.-wide #lists, Live.-widest #lists { width: 1fr; }
    Live.-wide #disk { display: block; width: 58; }
    Live.-widest #disk { display: block; width: 86; }
    """
    SAMPLING: ClassVar[type[LiveSampler]] = LiveSampler

    def __init__(self) -> None:
        super().__init__()
        self._sampling: LiveSampler | None = None
        self._seen = live.LiveSamples()
        self._names: Mapping[str, str] = {}
        self._disk = ""
        self._every = False
        self._orders = {"disks": live.DISK_ORDERS.index("name"), "writers": 0}
        self._placed: tuple[str, ...] = ()
        """The devices as they were listed first: rows move only when another order is asked for."""
        self._stopped = False
        self._tallest = 0
        self._ticking: Timer | None = None

    def body(self) -> ComposeResult:
        """Sums, the disks above the processes, and one disk beside them; for a recording, why there is nothing."""
        if not self.explorer.session.moves:
            yield DocumentView(id="recorded")
            return
        yield LinesView(4, id="sums")
        with Container(id="panes"):
            with Vertical(id="lists"):
                yield LinesView(2, id="disks_title")
                yield RowsView(id="disks")
                yield LinesView(2, id="writers_title")
                yield RowsView(id="writers", empty=" No process that could be looked at has written since Live began.")
            yield DocumentView(id="disk")
        yield LinesView(1, id="status")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A recording leaves nothing to do here."""
        if not self.explorer.session.moves and action in {one.name for one in self.ACTIONS}:
            return False
        if action == "close":
            return self.has_class("-opened")
        return super().check_action(action, parameters)

    def on_mount(self) -> None:
        """Say what there is to say before the first sample."""
        if not self.explorer.session.moves:
            blocks = [one for words in live.RECORDED for one in (Gap(), paragraph(words))]
            self.query_one("#recorded", DocumentView).show(Document("Live", tuple(blocks)))
            return
        self._ticking = self.set_interval(_SECOND, self._tick, pause=True)
        self._draw()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """What devices are called, and what stands on them."""
        self._names = live_disk.places(snapshot)

    def on_screen_resume(self) -> None:
        """Sample from now on."""
        if not self.explorer.session.moves:
            return
        if self._sampling is None:
            explorer = self.explorer
            self._sampling = self._made(
                partial(self.call_later, self._sampled),
                lambda error: explorer.post_message(explorer.Surveyed(error)),
            )
        if not self._stopped:
            self._sampling.go()
        if self._ticking:
            self._ticking.resume()
        self._tick()

    def _made(self, notify: Callable[[], object], failed: Callable[[Exception], object]) -> LiveSampler:
        replay = self.explorer.session.replay
        if replay is None:
            return self.SAMPLING(notify, failed)
        from fsadvisor.tui.sampling import ReplaySampler, recorded

        return ReplaySampler(recorded(replay), notify, failed)

    def on_screen_suspend(self) -> None:
        """Another place is seen."""
        if self._sampling:
            self._sampling.pause()
        if self._ticking:
            self._ticking.pause()

    def _sampled(self) -> None:
        """Draw the new sample."""
        if self._sampling and not self._sampling.paused:
            self._seen = self._sampling.seen()
            self._draw()

    def _tick(self) -> None:
        """A sample that does not come shows, too."""
        if self._sampling:
            seen = self._sampling.seen()
            if (seen.silent_s or seen.paused) != (self._seen.silent_s or self._seen.paused):
                self._seen = seen
                self._draw()

    def _draw(self) -> None:
        seen, glyphs = self._seen, self.explorer.glyphs
        disks, writers = self._order("disks"), self._order("writers")
        self.query_one("#sums", LinesView).show(lambda width: live.summary(seen, width, glyphs))
        self.query_one("#disks_title", LinesView).show(lambda width: live.disks_title(seen, disks, width))
        self.query_one("#disks", RowsView).renew(
            lambda width: live.disk_rows(
                seen, disks, width, glyphs, self._names, every=self._every, placed=self._placed
            )
        )
        if disks != "name":
            self._placed = tuple(one.key for one in self.query_one("#disks", RowsView).rows)
        self.query_one("#writers_title", LinesView).show(lambda width: live.writers_title(seen, writers, width, glyphs))
        self.query_one("#writers", RowsView).renew(lambda width: live.writer_rows(seen, writers, width, glyphs))
        self.query_one("#status", LinesView).show(lambda width: [live.status(seen, width)])
        self._share_out()
        self._draw_disk()

    def _share_out(self) -> None:
        """As many lines for disks as there are, up to a share of the screen; it never shrinks while one looks."""
        view = self.query_one("#disks", RowsView)
        most = max(int(self.size.height * (_OPENED if self.has_class("-opened", "-narrow") else _MOST)), _LEAST)
        self._tallest = max(self._tallest, len(view.rows))
        view.styles.height = max(min(self._tallest, most), _LEAST)

    def _draw_disk(self) -> None:
        view = self.query_one("#disk", DocumentView)
        if view.display:
            width = view.scrollable_content_region.width or 56
            shown = self._disk or self._first()
            view.show(live_disk.document(self._seen, self.explorer.snapshot, shown, width, self.explorer.glyphs))

    def _first(self) -> str:
        """The busiest disk: the cursor has been on none yet."""
        return live.busiest(self._seen)

    def _order(self, of: str) -> str:
        orders = live.DISK_ORDERS if of == "disks" else live.WRITER_ORDERS
        return orders[self._orders[of] % len(orders)]

    def on_rows_view_moved(self, event: RowsView.Moved) -> None:
        """The disk under the cursor is the one that is told of."""
        if event.view.id == "disks" and event.row is not None and event.row.key not in (self._disk, *_NO_DISKS):
            self._disk = event.row.key
            self._draw_disk()

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Tell of the disk where there was no room for it; show what is idle."""
        if event.view.id != "disks" or event.row is None or event.row.key == live.FIRST_KEY:
            return
        if event.row.key == live.IDLE_KEY:
            self.action_every()
            return
        self._disk = event.row.key
        self.add_class("-opened")
        self.refresh_bindings()
        self._share_out()
        self.call_after_refresh(self._draw_disk)

    def on_resize(self) -> None:
        """The disk may have come into sight."""
        if self.explorer.session.moves:
            self._share_out()
            self.call_after_refresh(self._draw_disk)

    def action_pause(self) -> None:
        """Stop, or go on."""
        if self._sampling is None:
            return
        self._stopped = not self._stopped
        if self._stopped:
            self._sampling.pause()
        else:
            self._sampling.go()
        self._seen = self._sampling.seen()
        self._draw()

    def action_order(self) -> None:
        """Another order."""
        focused = self.focused.id if self.focused and self.focused.id in self._orders else "disks"
        self._orders[focused or "disks"] += 1
        self._placed = ()
        self._redraw()

    def _device(self) -> str:
        """That under the cursor, else the one that is told of."""
        row = self.query_one("#disks", RowsView).row
        return row.key if row is not None and row.key not in _NO_DISKS else self._disk or self._first()

    def action_finding(self) -> None:
        """The gravest advice on the disk under the cursor."""
        key = live_disk.worst(self.explorer.snapshot, self._device())
        if key:
            self.explorer.go("finding", key)
        else:
            self.say("No advice on this disk, nor on what stands on it.")

    def action_open_subject(self) -> None:
        """The facts of the disk under the cursor."""
        standing = live_disk.above(self.explorer.snapshot, self._device())
        if standing:
            self.explorer.go("subject", standing[0].id)
        else:
            self.say("Nothing more is known of this device: r looks again.")

    async def action_ladder(self) -> None:
        """Where one measures; nothing is started yet."""
        standing = live_disk.above(self.explorer.snapshot, self._device())
        points = [one.name for one in standing if one.kind == "mount"]
        if points:
            self.explorer.wanted_probe = ("fsync-ladder", points[0])
            await self.explorer.action_go_to("probes")
        else:
            self.say("No filesystem is mounted on this device: there is nowhere to measure.")

    def action_every(self) -> None:
        """The idle ones, too, or not."""
        self._every = not self._every
        self._redraw()

    def _redraw(self) -> None:
        if self.explorer.session.moves:
            self._draw()

    def action_close(self) -> None:
        """Show the processes again in place of the disk."""
        self.remove_class("-opened")
        self.refresh_bindings()
        if self.explorer.session.moves:
            self._share_out()
            self.query_one("#disks", RowsView).focus()
