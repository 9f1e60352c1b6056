"""Over the place of the moment: a question, where whatever is not clearly a yes is a no; and the command palette."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias, TypeVar

from textual import on, work
from textual.command import CommandList, CommandPalette
from textual.containers import Vertical
from textual.content import Content
from textual.css.query import NoMatches
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, span
from fsadvisor.pages.screen import laid
from fsadvisor.tui.actions import TO_PLACES, bindings
from fsadvisor.tui.drawing import LeftOnce, PaintedOnce
from fsadvisor.tui.widgets.bars import KeysBar
from fsadvisor.tui.widgets.text_views import DocumentView, LinesView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding, BindingType
    from textual.events import Key

    from fsadvisor.pages.document import Document

Choices: TypeAlias = tuple[tuple[str, str, str], ...]
"""Key, what it does, and the answer that it gives."""

NO: Final = "no"
_NO_KEYS: Final = ("n", "escape", "enter", "q", "ctrl+c", "ctrl+q")
_WIDEST: Final = 84
_AROUND: Final = 4
"""Lines of the border, the padding and the choices."""


T = TypeVar("T")


class Dialog(PaintedOnce, LeftOnce, ModalScreen[T]):
    """Over a place, whose keys do nothing meanwhile; it tells its own."""

    def on_mount(self) -> None:
        """The last line of the place below is empty."""
        for bar in self.app.screen_stack[-2].query(KeysBar):
            bar.refresh()


class Question(Dialog[str]):
    """Shows a text and the keys that answer it; n, Escape and Enter answer no, and so does the number of a place."""

    DEFAULT_CSS = """
    Question { align: center middle; }
    Question > Vertical { background: $surface; border: round $border; padding: 0 1; }
    Question DocumentView { background: $surface; }
    Question LinesView { background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(TO_PLACES)

    def __init__(self, document: Document, choices: Choices, no: str = "no") -> None:
        """`no` says what a no does."""
        super().__init__(name="question")
        self._document, self._choices, self._no = document, choices, no

    def compose(self) -> ComposeResult:
        """Text and keys."""
        with Vertical():
            yield DocumentView()
            yield LinesView(2)

    def on_mount(self) -> None:
        """Show what is asked."""
        self.ask(self._document, self._choices, self._no)

    def ask(self, document: Document, choices: Choices, no: str = "no") -> None:
        """Ask something else in the same place."""
        self._document, self._choices, self._no = document, choices, no
        self._fit()
        self.query_one(DocumentView).show(document)
        self.query_one(LinesView).show(lambda _width: ((), self._keys()))

    def on_resize(self) -> None:
        """Another size of the screen."""
        self._fit()

    def _fit(self) -> None:
        """As large as the text needs, within the screen."""
        box = self.query_one(Vertical)
        width = min(self.size.width - 2, _WIDEST)
        box.styles.width = width
        box.styles.height = min(len(laid(self._document.blocks, width - 6)) + _AROUND, self.size.height - 2)

    def _keys(self) -> Line:
        spans: Line = ()
        for key, words, _ in (*self._choices, ("n", self._no, NO)):
            spans += (span(f" {key} ", Tone.KEY), span(words), Span("  "))
        return spans

    def on_key(self, event: Key) -> None:
        """An answer, or a key that moves in the text."""
        answer = next((answer for key, _, answer in self._choices if key == event.key), None)
        if answer is None and event.key in _NO_KEYS:
            answer = NO
        if answer is not None:
            event.stop()
            event.prevent_default()
            self.answered(answer)

    def answered(self, answer: str) -> None:
        """Leave the question with an answer."""
        self.app.clear_notifications()
        self.dismiss(answer)


_KEYS: Final = (("Enter", "Open"), ("Down, Up", "Choose"), ("Esc", "Close"), ("Type", "to find"))


class PaletteKeys(KeysBar):
    """What the palette's keys do; those of the place below it do nothing now."""

    def _active(self) -> Mapping[str, ActiveBinding]:
        return {}

    def line(self) -> Line:
        """The line where it has all the room that it needs."""
        return sum(((Span(f" {key} ", Tone.KEY), Span(f"{does} ", Tone.PLAIN)) for key, does in _KEYS), NOTHING)


class Palette(PaintedOnce, LeftOnce, CommandPalette):
    """Textual's own, without its magnifying glass: that needs a font with emoji, and is two columns wide in some."""

    DEFAULT_CSS = """
    Palette { background: transparent; }
    Palette SearchIcon { display: none; }
    """

    @on(OptionList.OptionSelected)
    def _choose_once(self, event: OptionList.OptionSelected) -> None:
        """Not again by a second Enter that was on its way."""
        if not self.is_active:
            event.prevent_default()

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        """What is still searched for when it is left finds no list any more."""
        try:
            await CommandPalette._gather_commands.__wrapped__(self, search_value)  # type: ignore[attr-defined]
        except NoMatches:
            if self.is_active:
                raise

    def _start_no_matches_countdown(self, search_value: str) -> None:
        """At once, in words that tell what to do: Textual's own come after half a second."""
        words = span(f"Nothing has {search_value}, or is like it: Backspace takes a letter back, Esc closes").text
        if search_value:
            self.query_one(CommandList).add_option(Option(Content(words), disabled=True, id=self._NO_MATCHES))
        self._list_visible = bool(search_value)

    def compose(self) -> ComposeResult:
        """The keys at the bottom."""
        yield from super().compose()
        yield PaletteKeys()
