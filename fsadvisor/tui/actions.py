"""What one can do, said once: the footer, the command palette and the help all read it here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from textual.binding import Binding, BindingType

if TYPE_CHECKING:
    from collections.abc import Iterable


class Action(Struct, frozen=True):
    """`name` is what Textual calls (the method action_NAME, with its arguments); `keys` are its own, by commas."""

    name: str
    keys: str
    label: str
    """A word or two, for the footer."""

    help: str
    """A sentence, for the help and the palette."""

    shown: bool = True
    """Whether the footer shows it."""


def bindings(actions: Iterable[Action]) -> list[BindingType]:
    """The same as Textual's bindings; the footer shows the first key of each."""
    return [
        Binding(key, one.name, one.label, show=one.shown and at == 0)
        for one in actions
        for at, key in enumerate(one.keys.split(","))
    ]


TO_PLACES: Final = (
    Action("app.go_to('overview')", "1", "Overview", "The storage, and the ranked advice", shown=False),
    Action("app.go_to('unknowns')", "2", "Unknowns", "What could not be told, and what would tell it", shown=False),
    Action("app.go_to('what_if')", "3", "What if", "Suppose a fact, and see the advice change", shown=False),
    Action("app.go_to('probes')", "4", "Probes", "Measure a filesystem by short jobs", shown=False),
    Action("app.go_to('live')", "5", "Live", "What the disks do at this moment", shown=False),
    Action("app.go_to('plan')", "6", "Plan", "The chosen advice as script, diff and undo", shown=False),
    Action("app.go_to('trials')", "7", "Trials", "Try a change, compare, and forecast", shown=False),
)
EVERYWHERE: Final = (
    *TO_PLACES,
    Action("search", "slash", "Search", "Search in the list or the text that has the keyboard"),
    Action("app.command_palette", "colon,ctrl+p", "Find", "Find any command, fact, advice or subject by name"),
    Action("app.doctor", "d", "Now", "What hurts now, who does it, and what to do: the doctor", False),
    Action("app.help", "question_mark", "Help", "The keys of this place"),
    Action("app.look_again", "r", "Look again", "Ask the machine everything again", shown=False),
    Action("app.next_theme", "t", "Theme", "Dark, light, high contrast, or colour-blind safe", shown=False),
    Action("app.export", "e", "Export", "Save the screen or the report to a file", shown=False),
    Action("app.draw_again", "ctrl+l", "Draw again", "Send the screen again where others wrote on it", shown=False),
    Action("app.suspend_process", "ctrl+z", "Suspend", "Back to the shell; fg returns", shown=False),
    Action("app.back", "escape", "Back", "One step back: to what is below, or to the place before", shown=False),
    Action("app.quit", "q,ctrl+c,ctrl+q", "Quit", "Leave the explorer"),
)
