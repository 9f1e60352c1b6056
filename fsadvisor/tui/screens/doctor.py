"""The doctor's place: what hurts now, who does it, what to do, and what was excluded."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fsadvisor.pages.values import counted
from fsadvisor.tui.actions import Action
from fsadvisor.tui.copying import copy
from fsadvisor.tui.screen import TextScreen
from fsadvisor.tui.views import doctor

if TYPE_CHECKING:
    from fsadvisor.measure.now.answer import Answer
    from fsadvisor.tui.views.snapshot import Snapshot


class DoctorScreen(TextScreen):
    """Shows the last look while the next is under way; what is old is looked at again when one comes here."""

    NAME = "doctor"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("again", "d,r", "Look again", "Look for 5 seconds at all that can hurt now"),
        Action("incident", "i", "Incident", "The last incident that watch kept, or what hurts now"),
        Action("moment(-1)", "left", "Earlier", "The incident's moment before"),
        Action("moment(1)", "right", "Later", "The incident's next moment"),
        Action("rule", "enter", "Why", "The rule of the first cause, with its sources"),
        Action("copy", "y", "Copy", "Copy the commands that the bar marks"),
        Action("app.back", "escape", "Back", "Back to where one came from"),
    )

    def __init__(self, key: str = "") -> None:  # noqa: ARG002 - each place that is opened over another has a key
        super().__init__()
        self._at: int | None = None
        """The moment of the incident that is shown; None: now."""

        self._answer: Answer | None = None

    def show_snapshot(self, snapshot: Snapshot) -> None:  # noqa: ARG002 - it is the explorer's
        """The audit's part may be another one."""
        self._draw()

    def on_screen_resume(self) -> None:
        """It may have looked meanwhile."""
        super().on_screen_resume()
        if self.explorer.snapshot is not None:
            self.explorer.doctor.recall()
        if self.explorer.session.live and self.explorer.doctor.age_s > doctor.OLD_S:
            self.explorer.diagnose()
        self._draw()

    def on_diagnosed(self) -> None:
        """There is an answer, or an incident: the only thing to be told of a recording."""
        self._draw()

    def _draw(self) -> None:
        explorer = self.explorer
        asked, live = explorer.doctor, explorer.session.live
        if self._at is None and asked.kept and not live:
            self._at = doctor.worst(asked.kept)
        self._answer = asked.answer if self._at is None else asked.judged(asked.kept[self._at])
        if self._at is None or self._answer is None:
            page = doctor.page(self._answer, explorer.snapshot, looking=asked.looking, live=live, trouble=asked.trouble)
        else:
            page = doctor.moment(self._answer, asked.kept, self._at, explorer.glyphs)
        self.text.show(page)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No look at a recording; no rule where nothing was found."""
        kept = self.explorer.doctor.kept
        if action == "again":
            return self.explorer.session.live
        if action == "incident":
            return bool(kept) and self.explorer.session.live
        if action == "moment":
            return self._at is not None and (0 <= self._at + int(str(parameters[0])) < len(kept) or None)
        if action == "rule":
            return bool(self._answer and self._answer.found)
        if action == "copy":
            return self.text.commands is not None
        return super().check_action(action, parameters)

    def action_again(self) -> None:
        """Another look."""
        self._at = None
        self.explorer.diagnose()
        self._draw()

    def action_incident(self) -> None:
        """The incident's worst moment, or back to now."""
        self._at = doctor.worst(self.explorer.doctor.kept) if self._at is None else None
        self._draw()

    def action_moment(self, by: int) -> None:
        """The incident's moment before or after."""
        if self._at is not None:
            self._at = min(max(self._at + by, 0), len(self.explorer.doctor.kept) - 1)
            self._draw()

    def action_rule(self) -> None:
        """What `fsadvisor explain` says."""
        if (answer := self._answer) and answer.found:
            self.explorer.go("rule", answer.found[0].verdict.rule.id)

    def action_copy(self) -> None:
        """To paste them into a shell."""
        if commands := self.text.commands:
            what = counted(len(commands.copied), "line")
            copy(
                self.app, commands.copied, f"{what} ({commands.name})" if commands.name else what, "e saves the screen"
            )
