"""The page of a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fsadvisor.report.rule_page import document
from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.widgets.document_view import DocumentView

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType


class RulePlace(Place):
    """What `fsadvisor explain` says."""

    NAME = "rule"
    MODE = "overview"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape", "Back", "Back to where one came from"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def __init__(self, rule: str) -> None:
        super().__init__()
        self._rule = rule

    def body(self) -> ComposeResult:
        """One text."""
        yield DocumentView(unicode=self.explorer.terminal.unicode)

    def on_mount(self) -> None:
        """It does not change from look to look."""
        rule = next((one for one in self.explorer.session.shelf.rules if one.id == self._rule), None)
        if rule is not None:
            self.query_one(DocumentView).show(document(rule))
