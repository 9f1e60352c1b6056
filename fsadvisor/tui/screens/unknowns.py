"""What could not be told, as a to-do list: the gravest first, with the way to cure each from here."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Horizontal

from fsadvisor import attestation
from fsadvisor.attestation import ClaimError
from fsadvisor.machine.port import Reply
from fsadvisor.pages.glyphs import cut, span
from fsadvisor.pages.values import counted
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.tui.actions import Action
from fsadvisor.tui.copying import copy
from fsadvisor.tui.screen import WIDE, ExplorerScreen
from fsadvisor.tui.screens.choices import ChoiceScreen, SuppositionForm
from fsadvisor.tui.screens.decisions import NOWHERE, attestation_screen
from fsadvisor.tui.session import NewestAnswer
from fsadvisor.tui.views import unknowns
from fsadvisor.tui.views.suppose import owner
from fsadvisor.tui.views.unknowns import Means
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import NOTHING_TO_READ, DocumentView, LinesView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.events import Resize
    from textual.widget import Widget

    from fsadvisor.tui.session import Session
    from fsadvisor.tui.views.snapshot import Snapshot
    from fsadvisor.tui.views.unknowns import Task

_OS_RELEASE: Final = "/etc/os-release"


class Tasks:
    """The tasks of a snapshot, and what the machine says of its distribution ('' where it says nothing)."""

    def __init__(self, snapshot: Snapshot, session: Session) -> None:
        self.snapshot = snapshot
        self.tasks = unknowns.tasks(snapshot)
        self.by_key = {one.key: one for one in self.tasks}
        answer = session.machine.read(_OS_RELEASE) if session.machine else None
        self.os_release = answer.text if isinstance(answer, Reply) else ""


class Unknowns(ExplorerScreen):
    """The list, and the task under the cursor from near: beside it, or over it on a narrow screen."""

    NAME = "unknowns"
    MODE = "unknowns"
    AUTO_FOCUS = "#tasks"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - Textual's own
    DEFAULT_CSS = """
    Unknowns #tasks { width: 1fr; }
    Unknowns #detail { width: 1fr; }
    Unknowns.-wide #detail { border-left: solid $border; }
    """
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "The task from near: what it would tell, and what that decides"),
        Action("attest", "a", "Attest", "Say what only a person can know; shows what it would write, and asks"),
        Action("measure", "m", "Measure", "Go to Probes, with the job and the mount chosen"),
        Action("install", "i", "Install", "Copy the command that installs what is missing; it is never run"),
        Action("what_if", "w", "What if", "Suppose an answer, and see what would follow"),
        Action("copy", "y", "Copy", "Copy the commands of the task", shown=False),
        Action("leave_detail", "escape,backspace", "Back", "Back to the list", shown=False),
        Action("app.focus_next", "tab", "Other half", "The other half, on a wide screen", shown=False),
    )

    def __init__(self) -> None:
        super().__init__()
        self._newest: NewestAnswer[Tasks] = NewestAnswer(partial(self.call_later, self._show_tasks))
        self._gathered: Tasks | None = None

    def body(self) -> ComposeResult:
        """The list and the task."""
        yield LinesView(id="title")
        with Horizontal():
            yield RowsView(id="tasks", empty=" Gathering what could not be told")
            yield DocumentView(id="detail")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Gather on a thread: a big machine has many unknowns."""
        self._newest.ask(partial(Tasks, snapshot, self.explorer.session))

    def _show_tasks(self, gathered: Tasks | Exception) -> None:
        if isinstance(gathered, Exception):
            self.say(f"What could not be told can't be listed: {gathered}")
            return
        self._gathered = gathered
        empty = [(span(" All that the rules ask could be told."),)]
        glyphs, checks = self.explorer.glyphs, gathered.snapshot.outcomes.get(Outcome.UNDETERMINED, 0)
        self.query_one("#title", LinesView).show(
            lambda width: [cut(unknowns.title(gathered.tasks, checks), width, glyphs.ellipsis)]
        )
        self.query_one("#tasks", RowsView).show(lambda width: unknowns.rows(gathered.tasks, width, glyphs), empty)

    def on_rows_view_moved(self, event: RowsView.Moved) -> None:
        """Another task under the cursor."""
        detail = self.query_one("#detail", DocumentView)
        gathered = self._gathered
        task = gathered.by_key.get(event.row.key) if event.row and gathered else None
        if task is None or gathered is None:
            detail.show(NOTHING_TO_READ)
            return
        self.refresh_bindings()
        session = self.explorer.session
        rules = {rule.id: rule for rule in session.rulebook.rules}
        detail.show(unknowns.document(task, rules, gathered.os_release, live=session.live))

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Look at the task from near."""
        if event.row is not None:
            self._read(self.query_one("#detail", DocumentView))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Back to the list is from the task alone."""
        if action == "leave_detail":
            return self.query_one("#detail").has_focus
        return super().check_action(action, parameters)

    def offers(self, action: str) -> bool:
        """What would tell the task under the cursor; other keys say why not when they are pressed."""
        task = self._under_cursor
        match action:
            case "attest":
                return task is not None and bool(task.attestable)
            case "measure":
                return task is not None and bool(task.probes)
            case "install":
                return task is not None and task.means is Means.INSTALL
        return super().offers(action)

    def action_leave_detail(self) -> None:
        """Back to the list."""
        self._read(self.query_one("#tasks", RowsView))

    def _read(self, what: Widget) -> None:
        """Give the list or the task the keyboard, and on a narrow screen all the room."""
        wide = self.size.width >= WIDE
        for one in self.query("#tasks, #detail"):
            one.display = wide or one is what
        what.focus()

    def on_resize(self, event: Resize) -> None:
        """Side by side, or one over the other."""
        wide = event.size.width >= WIDE
        detail, tasks = self.query_one("#detail"), self.query_one("#tasks")
        reads = self.focused is detail
        detail.display, tasks.display = wide or reads, wide or not reads

    @property
    def _under_cursor(self) -> Task | None:
        row = self.query_one("#tasks", RowsView).row
        return self._gathered.by_key.get(row.key) if row and self._gathered else None

    def action_attest(self) -> None:
        """What only a person can know."""
        task = self._under_cursor
        if task is None or self._gathered is None:
            return
        if not task.attestable:
            self.say(_why_not(next(iter(task.cure.facts))))
        elif self.explorer.session.attestations is None:
            self.say(NOWHERE)
        else:
            self.app.push_screen(attestation_screen(task.attestable))

    def action_measure(self) -> None:
        """Off to Probes, with what to measure."""
        task = self._under_cursor
        if task is None:
            return
        if not task.probes:
            self.say("No probe would tell this.")
        elif len(task.probes) == 1:
            self._measure(task.probes[0])
        else:
            probes = task.probes
            build = partial(unknowns.probe_rows, probes)
            then = lambda key: self._measure(probes[int(key)])  # noqa: E731 - what to do with the one chosen
            self.app.push_screen(ChoiceScreen(self.MODE, "Measure what?", build, then))

    def _measure(self, probe: tuple[str, str]) -> None:
        self.explorer.wanted_probe = probe
        self.app.call_later(self.explorer.action_go_to, "probes")

    def action_install(self) -> None:
        """The command, for the person to run."""
        task = self._under_cursor
        if task is None:
            return
        if task.means is Means.INSTALL:
            self.action_copy()
        else:
            self.say("Nothing to install would tell this.")

    def action_copy(self) -> None:
        """The commands of the task."""
        commands = self.query_one("#detail", DocumentView).commands
        if commands is None:
            self.say("There are no commands to copy here.")
            return
        what = counted(len(commands.copied), "line")
        copy(self.app, commands.copied, f"{what} ({commands.copied[0]})", "e saves the screen")

    def action_what_if(self) -> None:
        """Suppose an answer."""
        snapshot, task = self.explorer.snapshot, self._under_cursor
        if snapshot is None or task is None:
            return
        offered = tuple(dict.fromkeys(_own(snapshot, task)))
        if offered:
            self.app.push_screen(SuppositionForm(offered))
        else:
            self.say("This fact belongs to nothing here that it could be supposed of.")


def _own(snapshot: Snapshot, task: Task) -> Iterator[tuple[str, str]]:
    """The facts that are open, of the subjects whose own they are."""
    for asked, fact in task.cure.asked:
        subject = owner(snapshot.subjects, task.cure.subjects[asked], fact)
        if subject is not None:
            yield subject, fact


def _why_not(fact: str) -> str:
    """The words of `fsadvisor attest`."""
    try:
        attestation.attestable(fact)
    except ClaimError as error:
        return str(error)
    return f"{fact} can't be attested here: it does not apply to it as it is now"
