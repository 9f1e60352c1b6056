"""Trials: what to measure beside what, a trial or a comparison as it goes, and what came out.

It starts by a clear yes, after the cost and what speaks against it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Container, Vertical

from fsadvisor.measure.messages import CompareAsked, TrialAsked
from fsadvisor.pages.document import Document, paragraph
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screen import ExplorerScreen, TextScreen
from fsadvisor.tui.screens.dialogs import Choices, Question
from fsadvisor.tui.screens.probe_run import ProgressScreen, stored_results
from fsadvisor.tui.views import trials, trials_compare, trials_forecast, trials_try
from fsadvisor.tui.views.probes import NO_RESULTS, ResultsByMount
from fsadvisor.tui.widgets.bars import AskLine
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView, PaneTitle

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import Resize

    from fsadvisor.tui.measuring import TrialMeasurer
    from fsadvisor.tui.views.progress import TrialProgress
    from fsadvisor.tui.views.snapshot import Snapshot


YES: Final = "yes"


class TrialQuestion(Question):
    """Answers 'yes' or 'no'."""

    def __init__(self, trier: TrialMeasurer, progress: TrialProgress) -> None:
        """`progress` is the trier's, which has just been asked."""
        super().__init__(trials_try.asking_page(progress), *_choices(progress))
        self._trier = trier

    def on_explorer_trial_changed(self) -> None:
        """Show what the trial would take: it is known now."""
        progress = self._trier.progress
        if progress is not None:
            self.ask(trials_try.asking_page(progress), *_choices(progress))


def _choices(progress: TrialProgress) -> tuple[Choices, str]:
    estimate = progress.estimate
    if estimate is None or progress.finished is not None or estimate.refused:
        return (), "back"
    return (("y", "start", YES),), "do not start"


class TrialRun(ProgressScreen):
    """The trial or comparison of the moment, or the last one."""

    NAME = "trial"
    MODE = "trials"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("cancel", "x", "Cancel", "Stop it, after asking; everything it made is taken away"),
        Action("leave", "escape", "Back", "Back to the trials; what still runs is stopped, after asking"),
    )
    CANCEL = Document(
        "cancel",
        (paragraph("Stop it? What it has made is taken away; what it has measured so far is shown."),),
    )

    @property
    def measurer(self) -> TrialMeasurer:
        """The explorer's trier."""
        return self.explorer.trier

    def progress_page(self, progress: TrialProgress, width: int) -> Document:
        """Of a trial or a comparison."""
        return trials_compare.progress_page(progress, width, self.explorer.glyphs)


_WITH_DETAIL: Final = 130
"""Columns from which the row under the cursor is told of beside the list."""


class Trials(ExplorerScreen):
    """A list of what can be tried, compared and forecast, and beside it the row under the cursor."""

    NAME = "trials"
    MODE = "trials"
    CSS = """
    #trial-panes { layout: horizontal; }
    #of-trials { width: 1fr; }
    #of-trial { width: 56; display: none; border-left: vkey $border; }
    #trial-panes.with-detail > #of-trial { display: block; }
    """
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "Say what the trial here takes, and ask; of what was kept, its result"),
        Action("pick", "space", "Pick", "Pick a mount or a filesystem in an image to compare, or put it back"),
        Action("compare", "c", "Compare", "Say what comparing the picked ones takes, and ask"),
        Action("folder", "f", "Folder", "Name the directory whose filesystem the images of a trial are made on", False),
        Action("result", "v", "Result", "What is known of the row: what was tried before, and what it came to"),
        Action("part(1)", "right_curly_bracket", "Next part", "The next part of the list", False),
        Action("part(-1)", "left_curly_bracket", "Part before", "The part before", False),
        Action("running", "o", "Run", "The trial or comparison that runs, or the last one"),
        Action("clear", "C", "Put back", "Put all picked ones back", shown=False),
    )

    def __init__(self) -> None:
        super().__init__()
        self._snapshot: Snapshot | None = None
        self._kept: ResultsByMount = NO_RESULTS
        self._placed = False
        """Whether there have been rows."""
        self._picked: dict[str, None] = {}
        self._folders: dict[str, str] = {}
        self._asked_for = ""
        """The mount whose trials a folder is being named for."""
        self._options_on = ""
        """The folder whose filesystem options are being named for; '' where none are."""

    def body(self) -> ComposeResult:
        """The list, the row."""
        with Container(id="trial-panes"):
            with Vertical(id="of-trials"):
                yield PaneTitle(id="trials-title")
                yield RowsView(id="trials")
            with Vertical(id="of-trial"):
                yield DocumentView(id="trial")
        yield AskLine()

    @property
    def _rows(self) -> RowsView:
        return self.query_one("#trials", RowsView)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """All of it anew."""
        self._snapshot = snapshot
        self._kept = stored_results(self.explorer.session.machine, snapshot.storage)
        if self._picked:
            there = trials.sides_of(snapshot, self._kept)
            self._picked = {key: None for key in self._picked if key in there}
        self._show()
        self._take_wish()

    def on_screen_resume(self) -> None:
        """Another place may want something tried."""
        super().on_screen_resume()
        self._take_wish()

    def _take_wish(self) -> None:
        if self.explorer.wanted_trial is None or self._snapshot is None or not self._placed:
            return
        rule, subject = self.explorer.wanted_trial
        self.explorer.wanted_trial = None
        known = self._snapshot.subjects.get(subject)
        if known is not None and self._rows.put_cursor_on(trials.key_of("try", rule, trials.mount_of(known))):
            self._rows.focus()
        else:
            self.say(f"{rule} is not among what can be tried here on {subject}.")

    def _show(self) -> None:
        snapshot = self._snapshot
        if snapshot is None:
            return
        now, glyphs, live = self.explorer.session.now, self.explorer.glyphs, self.explorer.session.live
        kept, picked = self._kept, tuple(self._picked)
        self.query_one("#trials-title", PaneTitle).show(trials.title(picked, kept, live=live))
        self._rows.show(lambda width: trials.rows(snapshot, kept, picked, now, width, glyphs, live=live))
        self._show_row()

    def _show_row(self) -> None:
        view, row, snapshot = self.query_one("#trial", DocumentView), self._rows.row, self._snapshot
        if row is not None and snapshot is not None:
            now, live = self.explorer.session.now, self.explorer.session.live
            view.show(trials.about(row.key, snapshot, self._kept, now, live=live))

    def on_rows_view_moved(self, _event: RowsView.Moved) -> None:
        """Another row has another page; the first rows that are there take what another place wants."""
        if self._rows.row is not None and not self._placed:
            self._placed = True
            first = (it.key for it in self._rows.rows if trials.chosen(it.key).kind != "title")
            self._rows.put_cursor_on(next(first, ""))
            self._take_wish()
        self._show_row()
        self.refresh_bindings()

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Try it, pick it, or show it."""
        if event.row is not None:
            self._open(trials.chosen(event.row.key))

    def on_resize(self, event: Resize) -> None:
        """Wide screens tell of the row beside the list."""
        self.query_one("#trial-panes").set_class(event.size.width >= _WITH_DETAIL, "with-detail")

    def on_explorer_trial_changed(self) -> None:
        """The footer tells whether one runs."""
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is tried of a recording."""
        if action in ("pick", "compare", "folder"):
            return self.explorer.session.live
        if action == "running":
            return self.explorer.trier.progress is not None
        return super().check_action(action, parameters)

    def offers(self, action: str) -> bool:
        """What does something with the row; other keys say why not when they are pressed."""
        kind = trials.chosen(self._rows.row.key).kind if self._rows.row else "title"
        if action == "pick":
            return kind in ("mount", "image")
        if action == "clear":
            return bool(self._picked)
        return kind != "title" if action == "result" else super().offers(action)

    def _open(self, row: trials.Chosen) -> None:
        match row.kind:
            case "try":
                self._try(row)
            case "option":
                self._ask_options(row.mount)
            case "mount" | "image":
                self.action_pick()
            case "forecast" | "kept" | "compared":
                self.action_result()

    def _try(self, row: trials.Chosen) -> None:
        if self.explorer.session.live:
            folder = self._folders.get(row.mount, row.mount)
            self._ask(TrialAsked(rule=row.name, folder=folder, seconds=trials.TRY_S))
        else:
            self.action_result()

    def _ask_options(self, mount: str) -> None:
        """Which, on scratch filesystems like that mount."""
        self._options_on = self._folders.get(mount, mount)
        self.query_one(AskLine).ask(f"options to try, as on {self._options_on}", "", self._rows)

    def _ask(self, asked: TrialAsked | CompareAsked) -> None:
        """Ask what it takes; of what runs, show how far it is."""
        explorer = self.explorer
        if explorer.trier.goes_on:
            self.say("One at a time: this one runs.")
            self.action_running()
        elif explorer.measures:
            self.say("A probe runs: one measurement at a time, for they would disturb each other.")
        elif not self.is_read_only():
            progress = explorer.trier.ask(asked)
            self.app.push_screen(TrialQuestion(explorer.trier, progress), self._answered)

    def _answered(self, answer: str | None) -> None:
        trier = self.explorer.trier
        if answer == YES:
            trier.go()
            self.explorer.tell_of_trial()
            self.app.push_screen(TrialRun())
        else:
            trier.stop()

    def action_part(self, by: int) -> None:
        """To the title of the next part, or of the one before."""
        self._rows.to_part(by, lambda row: trials.chosen(row.key).kind == "title")

    def action_pick(self) -> None:
        """Pick a side, or put it back."""
        row = self._rows.row
        if row is None or trials.chosen(row.key).kind not in ("mount", "image"):
            self.say("Space picks mounts and filesystems to compare.")
            return
        if row.key in self._picked:
            del self._picked[row.key]
        else:
            self._picked[row.key] = None
        self._show()

    def action_clear(self) -> None:
        """Pick nothing."""
        if not self._picked:
            return
        self._picked.clear()
        self._show()

    def action_compare(self) -> None:
        """Ask what the picked ones take."""
        targets, images = trials.sides(self._picked)
        if not targets or len(targets) + len(images) < 2:
            snapshot, row = self.explorer.snapshot, self._rows.row
            sides = trials.sides_of(snapshot, self._kept) if snapshot else ()
            if row is None or row.key not in sides:
                first = next((one.key for one in self._rows.rows if one.key in sides), "")
                self._rows.put_cursor_on(first)
            words = "Space picks a mount, and one more mount or filesystem: images are made on the first."
            if images and not targets:
                words = "None of what is picked is a mount: Space picks the one below which images are made."
            elif targets or images:
                words = "One side is picked: Space picks another, and c compares them."
            self.say(words)
            return
        self._ask(CompareAsked(targets=targets, images=images, jobs=trials.JOBS, seconds=trials.COMPARE_S))

    def action_folder(self) -> None:
        """Ask for a folder."""
        row = self._rows.row
        chosen = trials.chosen(row.key) if row else None
        if chosen is None or chosen.kind not in ("try", "option"):
            self.say("A directory is named for a trial: put the cursor on one.")
            return
        self._asked_for, self._options_on = chosen.mount, ""
        self.query_one(AskLine).ask(
            f"images of trials on {chosen.mount} in", self._folders.get(chosen.mount, chosen.mount), self._rows
        )

    def on_ask_line_answered(self, event: AskLine.Answered) -> None:
        """Whether it is a folder and has room is the guard's question, and whether there is such an option mount's."""
        if self._options_on:
            mounted, mkfs, arguments = event.text.partition("mkfs:")
            options = (*mounted.split(), *((mkfs + arguments,) if mkfs else ()))
            self._ask(TrialAsked(options=options, folder=self._options_on, seconds=trials.TRY_S))
        else:
            self._folders[self._asked_for] = event.text

    def action_result(self) -> None:
        """The row's page."""
        row, snapshot = self._rows.row, self._snapshot
        if row is not None and snapshot is not None:
            self.app.push_screen(TrialPage(row.key))

    def action_running(self) -> None:
        """How far it is, or what came out."""
        self.app.push_screen(TrialRun())


class TrialPage(TextScreen):
    """A row of the list, on a screen of its own."""

    NAME = "tried"
    MODE = "trials"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape", "Back", "Back to the trials"),)

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key
        self._snapshot: Snapshot | None = None

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """A result may have come."""
        self._snapshot = snapshot
        self.call_after_refresh(self.draw)

    def page(self, width: int) -> Document | None:
        """Of what the row stands for."""
        snapshot, explorer = self._snapshot, self.explorer
        if snapshot is None:
            return None
        kept, chosen = stored_results(explorer.session.machine, snapshot.storage), trials.chosen(self._key)
        if chosen.kind == "forecast":
            return trials_forecast.page(kept, chosen.name, width, explorer.glyphs)
        return trials.about(self._key, snapshot, kept, explorer.session.now, live=explorer.session.live)
