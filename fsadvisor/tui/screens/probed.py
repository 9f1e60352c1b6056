"""What was measured: of one job on a mount, or of all there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.kept_files import PROBES
from fsadvisor.survey.read_fact import file_record
from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.widgets.document_view import DocumentView
from fsadvisor.views import probe_page
from fsadvisor.views.probes import NO_RESULTS, Kept, results_of

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Storage
    from fsadvisor.views.look import Look


def kept_results(machine: Machine | None, storage: Storage) -> Kept:
    """What the machine last looked at keeps; the look has asked for it already, so that nothing waits here."""
    found = None if machine is None else file_record(machine, PROBES, lambda text: results_of(text, storage))
    if isinstance(found, Unknown):
        return NO_RESULTS if found.cause is Cause.NOT_EXPOSED else Kept({}, unread=1)
    return found or NO_RESULTS


class Probed(Place):
    """The newest result drawn, earlier ones, and what is known of the like; of a mount, all jobs in short."""

    NAME = "results"
    MODE = "probes"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape", "Back", "Back to the probes"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def __init__(self, mount: str, job: str = "") -> None:
        """Of all jobs where none is named."""
        super().__init__()
        self._mount, self._job = mount, job
        self._kept = NO_RESULTS

    def body(self) -> ComposeResult:
        """One text."""
        yield DocumentView(unicode=self.explorer.terminal.unicode)

    def show_look(self, look: Look) -> None:
        """A result may have come."""
        self._kept = kept_results(self.explorer.session.machine, look.storage)
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        """Plots are drawn for a width."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        view = self.query_one(DocumentView)
        width, now, glyphs = view.scrollable_content_region.width, datetime.now(tz=UTC), self.explorer.glyphs
        if width <= 0:
            return
        results = self._kept.on(self._mount)
        if self._job:
            view.show(probe_page.job_page(self._job, self._mount, results, now, width, glyphs))
        else:
            view.show(probe_page.mount_page(self._mount, results, now, width, glyphs))
