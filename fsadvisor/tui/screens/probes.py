"""Short measurements: of which mount, which jobs, and what was measured before."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Container, Vertical

from fsadvisor.measure.messages import ProbeAsked
from fsadvisor.measure.probe.jobs import SUITES
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screen import ExplorerScreen
from fsadvisor.tui.screens.probe_run import GENTLY, YES, ProbeQuestion, ProbeRun, ResultsScreen, stored_results
from fsadvisor.tui.views import probe_page, probes
from fsadvisor.tui.views.probes import NO_RESULTS, ResultsByMount, group_members, is_title
from fsadvisor.tui.widgets.bars import AskLine
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView, PaneTitle

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import DescendantFocus, Resize

    from fsadvisor.tui.views.snapshot import Snapshot

_WITH_DETAIL: Final = 150
"""Columns from which the job under the cursor is told of beside the lists."""
_QUICK_SECONDS, _SECONDS = 10.0, 20.0
"""How long a job may measure, as of `fsadvisor probe`."""


class Probes(ExplorerScreen):
    """Mounts, jobs, and beside them what is known of the job under the cursor."""

    NAME = "probes"
    MODE = "probes"
    CSS = """
    #probe-panes { layout: horizontal; }
    #of-mounts { width: 26; border-right: vkey $border; }
    #of-jobs { width: 1fr; }
    #of-job { width: 1fr; display: none; border-left: vkey $border; }
    #probe-panes.with-detail > #of-mounts { width: 30; }
    #probe-panes.with-detail > #of-jobs { width: 1fr; min-width: 74; }
    #probe-panes.with-detail > #of-job { display: block; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (76, "-roomy")]  # noqa: RUF012 - Textual's own
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("pick", "space", "Pick", "Pick the job for the next probe, or put it back; a title picks its group"),
        Action("measure", "m,enter", "Measure", "Say what the picked jobs take, and ask; else the job here"),
        Action(
            "all_results",
            "a",
            "All results",
            "Everything that was measured on this mount; Enter on a mount, too",
            False,
        ),
        Action("result", "v", "Result", "The job's result: drawn, beside earlier ones and what is known of the like"),
        Action("folder", "f", "Folder", "Name the directory on this mount in which to measure", False),
        Action(
            "part(1)", "right_curly_bracket", "Next group", "The next group of jobs: Enter measures all of it", False
        ),
        Action("part(-1)", "left_curly_bracket", "Group before", "The group before", False),
        Action("running", "o", "Running", "The probe that runs, or the last one"),
        Action("clear", "c", "Put back", "Put all picked jobs back", shown=False),
        Action("other_pane", "tab,shift+tab,left,right,h,l", "Pane", "From the mounts to the jobs, and back"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._snapshot: Snapshot | None = None
        self._kept: ResultsByMount = NO_RESULTS
        self._picked: dict[str, None] = {}
        self._mount = ""
        self._folders: dict[str, str] = {}

    def body(self) -> ComposeResult:
        """Mounts, jobs, the job."""
        with Container(id="probe-panes"):
            with Vertical(id="of-mounts"):
                yield PaneTitle(id="mounts-title")
                yield RowsView(id="mounts", empty="No mount here can be probed.")
            with Vertical(id="of-jobs"):
                yield PaneTitle(id="jobs-title")
                yield RowsView(id="jobs")
            with Vertical(id="of-job"):
                yield DocumentView(id="job")
        yield AskLine()

    @property
    def _mounts(self) -> RowsView:
        return self.query_one("#mounts", RowsView)

    @property
    def _jobs(self) -> RowsView:
        return self.query_one("#jobs", RowsView)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Mounts and results anew."""
        self._snapshot = snapshot
        self._kept = stored_results(self.explorer.session.machine, snapshot.storage)
        now = self.explorer.session.now
        glyphs = self.explorer.glyphs
        self.query_one("#mounts-title", PaneTitle).show(probes.mounts_title(self._kept))
        self._mounts.show(lambda width: probes.mount_rows(snapshot.storage, self._kept, now, width, glyphs))
        self._show_jobs()
        self._take_wish()

    def on_screen_resume(self) -> None:
        """Another place may want something measured."""
        super().on_screen_resume()
        self._take_wish()

    def _take_wish(self) -> None:
        """Once both lists have rows: they have none before they are laid out."""
        if self.explorer.wanted_probe is None or not (self._mounts.rows and self._jobs.rows):
            return
        job, mount = self.explorer.wanted_probe
        self.explorer.wanted_probe = None
        if self._mounts.put_cursor_on(mount):
            self._mount = mount
        self._picked = dict.fromkeys(group_members(f"job:{job}"))
        self._show_jobs()
        self._jobs.put_cursor_on(f"job:{job}")
        self._jobs.focus()

    def _show_jobs(self) -> None:
        now, glyphs = self.explorer.session.now, self.explorer.glyphs
        on_mount, picked = self._kept.on(self._mount), self._picked
        self._jobs.show(lambda width: probes.job_rows(on_mount, picked, now, width, glyphs))
        title = probes.jobs_title(self._target, tuple(picked), live=self.explorer.session.live)
        self.query_one("#jobs-title", PaneTitle).show(title)
        self._show_job()

    def _show_job(self) -> None:
        view = self.query_one("#job", DocumentView)
        width, row = view.scrollable_content_region.width, self._jobs.row
        ids = group_members(row.key) if row else ()
        if width > 0 and self._mount and self.focused is self._mounts:
            now, glyphs = self.explorer.session.now, self.explorer.glyphs
            view.show(probe_page.mount_page(self._mount, self._kept.on(self._mount), now, width, glyphs))
        elif width > 0 and len(ids) == 1 and self._mount:
            now = self.explorer.session.now
            on_mount = self._kept.on(self._mount)
            view.show(probe_page.job_page(ids[0], self._mount, on_mount, now, width, self.explorer.glyphs))
        elif width > 0 and row is not None:
            view.show(probes.several(row.key, ids))

    @property
    def _target(self) -> str:
        return self._folders.get(self._mount, self._mount)

    def on_rows_view_moved(self, event: RowsView.Moved) -> None:
        """Another mount has other results; another job another page."""
        if event.view is self._mounts and event.row is not None and event.row.key != self._mount:
            self._mount = event.row.key
            self._show_jobs()
        elif event.view is self._jobs:
            self._show_job()
        self._take_wish()

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Everything measured on a mount; or measure."""
        if event.view is self._mounts:
            self.action_all_results()
        else:
            self.action_measure()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """The title of the pane with the keyboard says so."""
        self.query_one("#mounts-title", PaneTitle).light(event.widget is self._mounts)
        self.query_one("#jobs-title", PaneTitle).light(event.widget is self._jobs)
        self._show_job()

    def on_resize(self, event: Resize) -> None:
        """Wide screens tell of the job beside the lists."""
        self.query_one("#probe-panes").set_class(event.size.width >= _WITH_DETAIL, "with-detail")
        self.call_after_refresh(self._show_job)

    def on_explorer_probe_changed(self) -> None:
        """The footer tells whether one runs."""
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is measured of a recording."""
        if action in ("pick", "measure", "folder"):
            return self.explorer.session.live
        if action == "running":
            return self.explorer.prober.progress is not None
        return super().check_action(action, parameters)

    def offers(self, action: str) -> bool:
        """Picked jobs are put back once there are some."""
        return bool(self._picked) if action == "clear" else super().offers(action)

    def action_other_pane(self) -> None:
        """To the other list."""
        (self._mounts if self.focused is self._jobs else self._jobs).focus()

    def action_part(self, by: int) -> None:
        """To the next group of jobs, or the one before, whichever list has the keyboard."""
        self._jobs.to_part(by, lambda row: is_title(row.key))
        self._jobs.focus()

    def action_pick(self) -> None:
        """Pick all that the row stands for, or put it back."""
        row = self._jobs.row
        if row is None or self.focused is self._mounts:
            return
        ids = group_members(row.key)
        if all(one in self._picked for one in ids):
            for one in ids:
                del self._picked[one]
        else:
            self._picked |= dict.fromkeys(ids)
        self._show_jobs()

    def action_clear(self) -> None:
        """Pick nothing."""
        if not self._picked:
            return
        self._picked.clear()
        self._show_jobs()

    def action_folder(self) -> None:
        """Ask for a folder."""
        if self._mount:
            self.query_one(AskLine).ask("measure in", self._target, self._jobs)

    def on_ask_line_answered(self, event: AskLine.Answered) -> None:
        """Whether it is a folder, and on this mount, is the guard's question."""
        self._folders[self._mount] = event.text
        self._show_jobs()

    def action_measure(self) -> None:
        """Ask what it takes; of what runs, show how far it is."""
        if not self.explorer.session.live:
            self.say("A recording cannot be probed: it has no disk. Its results are shown.")
        elif self.is_read_only():
            return
        elif self.explorer.prober.goes_on:
            self.say("One probe at a time: this one runs.")
            self.app.push_screen(ProbeRun())
        elif self.explorer.measures:
            self.say("A trial runs: one measurement at a time, for they would disturb each other.")
        elif ids := self._ids():
            seconds = _QUICK_SECONDS if set(ids) == set(SUITES["quick"]) else _SECONDS
            prober = self.explorer.prober
            progress = prober.ask(ProbeAsked(jobs=ids, target=self._target, seconds=seconds))
            self.app.push_screen(ProbeQuestion(prober, progress), self._answered)
        else:
            self.say("Pick what to measure: Space picks a job, a suite or a group.")

    def _ids(self) -> tuple[str, ...]:
        row = self._jobs.row
        return tuple(self._picked) or (group_members(row.key) if row else ()) if self._mount else ()

    def _answered(self, answer: str | None) -> None:
        prober = self.explorer.prober
        if answer in (YES, GENTLY):
            prober.go(gentle=answer == GENTLY)
            self._picked.clear()
            self._show_jobs()
            self.explorer.tell_of_probe()
            self.app.push_screen(ProbeRun())
        else:
            prober.stop()

    def action_running(self) -> None:
        """How far it is, or what came out."""
        self.app.push_screen(ProbeRun())

    def action_all_results(self) -> None:
        """Everything measured on the mount."""
        if self._mount:
            self.app.push_screen(ResultsScreen(self._mount))

    def action_result(self) -> None:
        """The job under the cursor."""
        row = self._jobs.row
        ids = group_members(row.key) if row else ()
        if self._mount and len(ids) == 1:
            self.app.push_screen(ResultsScreen(self._mount, ids[0]))
