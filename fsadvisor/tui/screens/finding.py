"""A finding, from why to undo."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal

from fsadvisor.machine.port import MachineError
from fsadvisor.machine.safe_files import write_new
from fsadvisor.pages.document import Commands
from fsadvisor.pages.values import counted
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION
from fsadvisor.tui.actions import Action
from fsadvisor.tui.copying import copy
from fsadvisor.tui.screen import WIDE
from fsadvisor.tui.screens.decisions import DECISIONS, DecisionScreen
from fsadvisor.tui.views import finding, trials
from fsadvisor.tui.widgets.bars import AskLine
from fsadvisor.tui.widgets.text_views import DocumentView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.events import Resize

    from fsadvisor.report.findings import Finding
    from fsadvisor.tui.views.snapshot import Snapshot


class FindingScreen(DecisionScreen):
    """A page; its commands can be copied or written to a file, never run."""

    NAME = "finding"
    MODE = "overview"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("copy", "y", "Copy", "Copy the commands that the bar marks: those of the part in view"),
        Action("copy_undo", "u", "Undo", "Copy the commands that undo it"),
        Action("write", "w", "Write", "Write the commands that the bar marks to a new file"),
        Action("choose", "p,space", "Plan", "Choose it for the plan, or not"),
        Action("subject", "s", "Subject", "All that is known of what it was found on", shown=False),
        Action(
            "try", "T", "Try it", "Try it on scratch filesystems: says what that takes, and asks, in the place Trials"
        ),
        *DECISIONS,
        Action("rule", "R", "Rule", "The page of its rule", shown=False),
        Action(
            "beside(1)",
            "right_square_bracket",
            "Next",
            "The next finding; of what is not advised, the next subject",
            shown=False,
        ),
        Action("beside(-1)", "left_square_bracket", "Before", "The finding before", shown=False),
        Action("app.back", "escape", "Back", "Back to where one came from"),
        Action("app.focus_next", "tab", "Other half", "The other half of the page, on a wide screen", shown=False),
    )

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self._page: finding.Page | None = None
        self._to_write: Sequence[str] = ()

    def body(self) -> ComposeResult:
        """One column, or two."""
        with Horizontal():
            yield DocumentView(id="why")
            yield DocumentView(id="todo")
        yield AskLine()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The page anew, where one was."""
        shown = finding.found(snapshot, self.key)
        chosen = self.explorer.chosen.of(shown) if shown is not None else 0
        self._page = finding.page(snapshot, self.key, self.explorer.glyphs, chosen=chosen)
        self._fill()
        self.refresh_bindings()

    def on_resize(self, event: Resize) -> None:
        """One column or two."""
        self._fill(event.size.width)

    def _fill(self, width: int | None = None) -> None:
        if self._page is None:
            return
        wide = (self.size.width if width is None else width) >= WIDE and bool(self._page.todo)
        why, todo = self.query_one("#why", DocumentView), self.query_one("#todo", DocumentView)
        todo.display = wide
        why.show(self._page.left if wide else self._page.whole)
        if wide:
            todo.show(self._page.right)
        elif not why.has_focus and self.focused in (None, todo):
            why.focus()

    @property
    def _commands(self) -> DocumentView:
        """The half that has commands."""
        todo = self.query_one("#todo", DocumentView)
        return todo if todo.display else self.query_one("#why", DocumentView)

    def finding_here(self) -> Finding | None:
        """The finding of the page."""
        snapshot = self.explorer.snapshot
        return finding.found(snapshot, self.key) if snapshot else None

    def action_copy(self) -> None:
        """The commands that the bar marks."""
        commands = self._commands.commands
        if commands is None:
            self.say("There are no commands to copy here.", failed=True)
        else:
            self._copy(commands.copied, commands.name)

    def action_copy_undo(self) -> None:
        """The undo, wherever one reads."""
        if self._page is None or not self._page.undo:
            self.say("There is no undo to copy here.", failed=True)
        else:
            self._copy(self._page.undo, "undo")

    def _copy(self, lines: Sequence[str], name: str) -> None:
        copy(self.app, lines, f"{counted(len(lines), 'line')} ({name})", "w writes a file")

    def action_write(self) -> None:
        """Ask for a name."""
        commands = self._commands.commands
        if commands is None:
            self.say("There are no commands to write here.", failed=True)
            return
        if self.is_read_only():
            return
        self._to_write = commands.copied
        rule, _, _ = self.key.partition("\n")
        question = f"Write {counted(len(commands.copied), 'line')} ({commands.name}) to:"
        self.query_one(AskLine).ask(question, f"{rule}.txt", self.focused)

    def on_ask_line_answered(self, event: AskLine.Answered) -> None:
        """Write on a thread: the folder may be on a dead server."""
        path = Path(event.text)
        text = "".join(f"{one}\n" for one in self._to_write)
        threading.Thread(target=self._write, args=(path, text.encode("utf-8", "surrogateescape")), daemon=True).start()

    def _write(self, path: Path, content: bytes) -> None:
        """On a thread."""
        try:
            file = path.expanduser().absolute()
            write_new(file, content)
        except (MachineError, RuntimeError, OSError) as error:
            self.call_later(self.say, str(error), failed=True)
        else:
            self.call_later(self.say, f"Written to {file}")

    def action_choose(self) -> None:
        """Into the plan, or out of it."""
        snapshot, here = self.explorer.snapshot, self.finding_here()
        if snapshot is None or here is None or here.outcome not in CALLS_FOR_ACTION:
            self.say(self.why_no_advice(), failed=True)
            return
        if not self.explorer.chosen.turn(here):
            self.say("No longer chosen for the plan.")
        else:
            number = counted(self.explorer.chosen.findings(snapshot.findings), "piece of advice", "pieces of advice")
            self.say(f"Chosen for the plan ({number}); 6 shows it.")
        self.show_snapshot(snapshot)

    def action_subject(self) -> None:
        """The subject, or the list of them."""
        here = self.finding_here()
        if here is None:
            return
        if len(here.verdicts) == 1:
            self.explorer.go("subject", here.verdicts[0].subject.id)
        else:
            self.explorer.go("subjects", self.key)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Not every remedy is an option or a format that can be tried, and what is not advised is not tried."""
        if action == "try":
            found = self.finding_here()
            return found is not None and trials.leads_to_trial(found.verdicts[0])
        return super().check_action(action, parameters)

    def offers(self, action: str) -> bool:
        """No copy where there is no command, no plan where nothing is advised, no next one where there is one alone."""
        page, snapshot = self._page, self.explorer.snapshot
        if page is None or snapshot is None:
            return True
        match action:
            case "copy" | "write":
                return any(isinstance(block, Commands) for block in page.whole.blocks)
            case "copy_undo":
                return bool(page.undo)
            case "beside(1)" | "beside(-1)":
                return finding.beside(snapshot, self.key, 1 if action == "beside(1)" else -1) is not None
        return super().offers(action)

    async def action_try(self) -> None:
        """Where trials are, with the cursor on it."""
        found = self.finding_here()
        if found is not None:
            self.explorer.wanted_trial = (found.rule.id, found.verdicts[0].subject.id)
            await self.explorer.action_go_to("trials")

    def action_rule(self) -> None:
        """Its page."""
        rule, _, _ = self.key.partition("\n")
        self.explorer.go("rule", rule)

    def action_beside(self, by: int) -> None:
        """The next one, or the one before."""
        snapshot = self.explorer.snapshot
        key = finding.beside(snapshot, self.key, by) if snapshot else None
        if snapshot is None or key is None:
            self.say("That was the last one." if by > 0 else "That was the first one.")
            return
        self.key = key
        self.show_snapshot(snapshot)
