"""A measurement as it goes, and what came out; a probe is asked about before it starts.

Leaving the place by a number keeps any measurement going; its number leads back. A probe starts by a clear yes, and in
a database's own directory by two. Its results stand beside earlier ones.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.kept_files import PROBES
from fsadvisor.pages.document import Document, paragraph
from fsadvisor.survey.read_fact import file_record
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screen import TextScreen
from fsadvisor.tui.screens.dialogs import Choices, Question
from fsadvisor.tui.views import probe_page, probe_progress
from fsadvisor.tui.views.probes import NO_RESULTS, ResultsByMount, results_of

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.storage import Storage
    from fsadvisor.tui.measuring import Measurer, ProbeMeasurer
    from fsadvisor.tui.views.progress import ProbeProgress
    from fsadvisor.tui.views.snapshot import Snapshot


class ProgressScreen(TextScreen):
    """The measurement of the moment, or the last one. Subclasses say whose it is, and make its page."""

    CANCEL: ClassVar[Document]
    """Asks whether to stop it."""

    @property
    @abstractmethod
    def measurer(self) -> Measurer[Any, Any]:
        """What starts and holds the measurement."""

    @abstractmethod
    def progress_page(self, progress: Any, width: int) -> Document:  # noqa: ANN401 - of either kind
        """How far the measurement is, as a page."""

    def page(self, width: int) -> Document | None:
        """Nothing before anything was measured."""
        progress = self.measurer.progress
        return None if progress is None else self.progress_page(progress, width)

    def draw(self) -> None:
        """The keys change with it."""
        super().draw()
        self.refresh_bindings()

    def on_mount(self) -> None:
        """As far as it is."""
        self.call_after_refresh(self.draw)

    def on_screen_resume(self) -> None:
        """Show what was measured meanwhile."""
        super().on_screen_resume()
        self.draw()

    def on_explorer_probe_changed(self) -> None:
        """Show what the probe has told."""
        self.draw()

    def on_explorer_trial_changed(self) -> None:
        """Show what the trial has told."""
        self.draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to cancel where it has ended."""
        if action == "cancel":
            return self.goes_on
        return super().check_action(action, parameters)

    @property
    def goes_on(self) -> bool:
        """Whether it is not over."""
        progress = self.measurer.progress
        return progress is not None and progress.phase == "running"

    def action_cancel(self) -> None:
        """Ask, then stop it."""
        self.app.push_screen(Question(self.CANCEL, (("y", "stop it", "yes"),), "go on"), self._answered)

    async def action_leave(self) -> None:
        """Back, where it has ended."""
        if self.goes_on:
            self.action_cancel()
        elif not self.measurer.goes_on:
            await self.explorer.action_back()

    def _answered(self, answer: str | None) -> None:
        if answer == "yes":
            self.measurer.stop()
            self.draw()


def stored_results(machine: Machine | None, storage: Storage) -> ResultsByMount:
    """What the machine last looked at keeps; the snapshot has asked for it already, so that nothing waits here."""
    record = None if machine is None else file_record(machine, PROBES, lambda text: results_of(text, storage))
    if isinstance(record, Unknown):
        return NO_RESULTS if record.cause is Cause.NOT_EXPOSED else ResultsByMount({}, unread=1)
    return record or NO_RESULTS


class ResultsScreen(TextScreen):
    """The newest result drawn, earlier ones, and what is known of the like; of a mount, all jobs in short."""

    NAME = "results"
    MODE = "probes"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape", "Back", "Back to the probes"),)

    def __init__(self, mount: str, job: str = "") -> None:
        """Of all jobs where none is named."""
        super().__init__()
        self._mount, self._job = mount, job
        self._kept = NO_RESULTS

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """A result may have come."""
        self._kept = stored_results(self.explorer.session.machine, snapshot.storage)
        self.call_after_refresh(self.draw)

    def page(self, width: int) -> Document:
        """Of the job, or of the mount."""
        results, now, glyphs = self._kept.on(self._mount), self.explorer.session.now, self.explorer.glyphs
        if self._job:
            return probe_page.job_page(self._job, self._mount, results, now, width, glyphs)
        return probe_page.mount_page(self._mount, results, now, width, glyphs)


class ProbeRun(ProgressScreen):
    """The probe of the moment, or the last one."""

    NAME = "probe"
    MODE = "probes"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("cancel", "x", "Cancel", "Stop the probe, after asking; everything it made is taken away"),
        Action("compare", "v,enter", "Compare", "The results beside earlier ones, and what is known of the like"),
        Action("leave", "escape", "Back", "Back to the probes; one that still runs is stopped, after asking"),
    )
    CANCEL = Document(
        "cancel",
        (paragraph("Stop the probe? What it has made is taken away; what it has measured so far is shown."),),
    )

    @property
    def measurer(self) -> ProbeMeasurer:
        """The explorer's prober."""
        return self.explorer.prober

    def progress_page(self, progress: ProbeProgress, width: int) -> Document:
        """How far the probe is."""
        return probe_progress.progress_page(progress, width, self.explorer.glyphs)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to compare before it has ended."""
        if action == "compare":
            progress = self.measurer.progress
            return progress is not None and progress.phase == "over" and bool(progress.results)
        return super().check_action(action, parameters)

    def action_compare(self) -> None:
        """All that is known of the job, or of the mount."""
        progress = self.measurer.progress
        if progress is not None and progress.results:
            first = progress.results[0]
            self.app.push_screen(ResultsScreen(first.mount, first.job if len(progress.results) == 1 else ""))


YES, GENTLY, ALL_THE_SAME = "yes", "gently", "all the same"
_START: Final[Choices] = (
    ("y", "start", YES),
    ("g", "start gently", GENTLY),
)
_DATABASE: Final[Choices] = (("y", "measure there all the same", ALL_THE_SAME),)


class ProbeQuestion(Question):
    """Answers 'yes', 'gently' or 'no'."""

    def __init__(self, prober: ProbeMeasurer, progress: ProbeProgress) -> None:
        """`progress` is the prober's, which has just been asked."""
        super().__init__(probe_progress.asking_page(progress), *_choices(progress))
        self._prober = prober

    def on_explorer_probe_changed(self) -> None:
        """Show what the probe would take: it is known now."""
        progress = self._prober.progress
        if progress is not None:
            self.ask(probe_progress.asking_page(progress), *_choices(progress))

    def answered(self, answer: str) -> None:
        """Ask once more where a database's own directory is to be measured."""
        progress = self._prober.progress
        if answer == ALL_THE_SAME and progress is not None:
            self._prober.ask(msgspec.structs.replace(progress.asked, in_data_directory=True))
            self.on_explorer_probe_changed()
        else:
            super().answered(answer)


def _choices(progress: ProbeProgress) -> tuple[Choices, str]:
    estimate = progress.estimate
    if estimate is None or progress.finished is not None:
        return (), "back"
    if not estimate.refused:
        return _START, "do not start"
    return (_DATABASE, "leave it") if probe_progress.only_a_database_is_in_the_way(estimate) else ((), "back")
