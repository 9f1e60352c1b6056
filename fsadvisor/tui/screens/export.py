"""Saving the screen as a picture, or the report in each of its forms: what, and under which name."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, cast

from msgspec import Struct
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Label

from fsadvisor.machine.port import MachineError
from fsadvisor.machine.safe_files import write_new
from fsadvisor.pages.document import Paragraph
from fsadvisor.pages.glyphs import Span, Tone, cut, line, span
from fsadvisor.pages.screen import laid
from fsadvisor.pages.values import counted
from fsadvisor.report.as_html import as_html
from fsadvisor.report.as_json import as_json
from fsadvisor.report.as_text import as_text
from fsadvisor.tui.actions import TO_PLACES, bindings
from fsadvisor.tui.screens.dialogs import Dialog
from fsadvisor.tui.views.rows import Row
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import LinesView

if TYPE_CHECKING:
    from datetime import date

    from textual.app import ComposeResult

    from fsadvisor.pages.glyphs import Glyphs, Line
    from fsadvisor.tui.explorer import Explorer
    from fsadvisor.tui.views.snapshot import Snapshot

_FONT: Final = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST: Final = 60
_WORD: Final = 9


class ExportFormat(Struct, frozen=True):
    """A kind of file: its ending is its key."""

    ending: str
    name: str
    says: str


FILE_FORMATS: Final = (
    ExportFormat("svg", "Screen", "as it is seen now, a picture (SVG)"),
    ExportFormat("txt", "Text", "the report, for people"),
    ExportFormat("json", "JSON", "the report, for scripts"),
    ExportFormat("html", "HTML", "the report in one file, for a ticket or paper"),
)


def rows(width: int, glyphs: Glyphs) -> list[Row]:
    """One line for each form."""
    return [
        Row(
            form.ending,
            (cut(line(Span(" "), span(form.name.ljust(_WORD), Tone.STRONG), form.says), width, glyphs.ellipsis),),
        )
        for form in FILE_FORMATS
    ]


def file_name(snapshot: Snapshot, day: date, ending: str) -> str:
    """'db7-2026-11-21.html': nothing that a shell or a folder would take for anything else."""
    name = snapshot.host or snapshot.storage.machine.rstrip("/").rpartition("/")[2]
    plain = _NO_NAME.sub("-", name).strip("-.")[:_LONGEST].rstrip("-.")
    return f"{plain or 'machine'}-{day:%Y-%m-%d}.{ending}"


def obstacle(snapshot: Snapshot, ending: str) -> str:
    """Why this can't be saved now, '' where it can: a report never has what is still being asked."""
    if ending == "svg":
        return ""
    if snapshot.supposed:
        return "What is supposed is no report: go back to what is so first."
    if snapshot.asking:
        missing = counted(len(snapshot.asking), "answer")
        return f"{missing} still to come: a report would lack them. Wait, or save the screen."
    return ""


def content(snapshot: Snapshot, ending: str, picture: str, *, every: bool = False) -> bytes:
    """The file; `picture` is the screen as SVG. On a big machine this takes seconds."""
    if ending == "svg":
        return without_fonts(picture).encode("utf-8", "backslashreplace")
    if ending == "json":
        return b"".join(as_json(snapshot.storage, snapshot.verdicts, snapshot.about))
    if ending == "html":
        return "".join(as_html(snapshot.storage, snapshot.verdicts, snapshot.about)).encode("utf-8", "backslashreplace")
    report = as_text(snapshot.storage, snapshot.verdicts, snapshot.about, full=True, every=every)
    return "".join(report).encode("utf-8", "backslashreplace")


def without_fonts(picture: str) -> str:
    """The picture without what would be loaded from elsewhere; a font of the reader's own takes its place."""
    return _FONT.sub("", picture).replace("Fira Code,", "DejaVu Sans Mono, Menlo, Consolas,")


class Export(Dialog[None]):
    """Enter goes from the kind to the name, and then saves; nothing is ever written over."""

    CSS = """
    Export { align: center middle; }
    Export > Vertical { width: 72; max-width: 100%; height: auto; max-height: 100%; background: $surface;
        border: round $border; padding: 0 1; }
    Export RowsView { height: 4; background: $surface; }
    Export LinesView { background: $surface; }
    Export Horizontal { height: 1; }
    Export Label { width: auto; padding: 0 1; color: $accent; }
    Export Input { width: 1fr; border: none; height: 1; padding: 0; background: $panel; }
    Export Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Save nothing"),
        Binding("q", "leave", "Save nothing", show=False),
        Binding("ctrl+c,ctrl+q", "app.quit", "Quit", show=False),
        Binding("tab,shift+tab", "other", "Kind or name", show=False),
        *bindings(TO_PLACES),
    ]

    class Saved(Message):
        """The file is there, or why not."""

        def __init__(self, words: str, *, failed: bool) -> None:
            super().__init__()
            self.words = words
            self.failed = failed

    def __init__(self, picture: str) -> None:
        """`picture` is the screen below as SVG."""
        super().__init__(name="export")
        self._picture = picture
        self._proposed = ""
        self._saving = False

    @property
    def explorer(self) -> Explorer:
        """The application."""
        return cast("Explorer", self.app)

    def compose(self) -> ComposeResult:
        """Kinds, name, and what is to be said of it."""
        with Vertical():
            yield LinesView(2, id="title")
            yield RowsView()
            yield LinesView(1)
            with Horizontal():
                yield Label("File", markup=False)
                yield Input(select_on_focus=False)
            yield LinesView(3, id="said")

    def on_mount(self) -> None:
        """The kinds, with a name for the first."""
        self.query_one("#title", LinesView).show(lambda _width: ((span(" Save as a file", Tone.TITLE),),))
        self.query_one(RowsView).show(lambda width: rows(width, self.explorer.glyphs))
        self.query_one(RowsView).focus()
        self._say(_KEYS)

    def _say(self, words: Line) -> None:
        self.query_one("#said", LinesView).show(lambda width: ((), *laid((Paragraph(words, (Span(" "),), 1),), width)))

    def _refuse(self, words: str) -> None:
        self._say((span(words, Tone.WARNING),))

    @property
    def _ending(self) -> str:
        row = self.query_one(RowsView).row
        return row.key if row else FILE_FORMATS[0].ending

    def on_rows_view_moved(self, event: RowsView.Moved) -> None:
        """Another kind has another name, unless the name is one's own."""
        event.stop()
        snapshot, field = self.explorer.snapshot, self.query_one(Input)
        if snapshot is None or field.value != self._proposed:
            return
        self._proposed = file_name(snapshot, dt.datetime.now().astimezone().date(), self._ending)
        field.value = self._proposed
        if words := obstacle(snapshot, self._ending):
            self._refuse(words)
        else:
            self._say(_KEYS)

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """On to the name, with the cursor before its ending."""
        event.stop()
        field = self.query_one(Input)
        field.focus()
        field.cursor_position = len(field.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save, on a thread: the folder may be on a dead server."""
        event.stop()
        snapshot, name = self.explorer.snapshot, event.value.strip()
        if snapshot is None or self._saving or not name:
            return
        if words := obstacle(snapshot, self._ending):
            self._refuse(words)
            return
        self._saving = True
        self._say((span("Saving …", Tone.DIM),))
        threading.Thread(target=self._save, args=(self.explorer, snapshot, self._ending, name), daemon=True).start()

    def _save(self, explorer: Explorer, snapshot: Snapshot, ending: str, name: str) -> None:
        """On a thread; told here, or where this screen was left for meanwhile."""
        outcome = self._saved(snapshot, ending, name, every=explorer.session.every)
        if not self.post_message(outcome):
            with contextlib.suppress(RuntimeError):  # the explorer was left, too
                explorer.call_from_thread(_notify, explorer, outcome)

    def _saved(self, snapshot: Snapshot, ending: str, name: str, *, every: bool) -> Saved:
        try:
            path = Path(name).expanduser().absolute()
            write_new(path, content(snapshot, ending, self._picture, every=every))
        except MachineError as error:  # the path may fill all the room there is: what is wrong with it comes first
            return self.Saved(f"{error.what}; {error.choice}: {error.where}", failed=True)
        except (RuntimeError, OSError, ValueError) as error:
            return self.Saved(str(error), failed=True)
        return self.Saved(f"Saved: {path}", failed=False)

    def on_export_saved(self, message: Saved) -> None:
        """Go, and tell where it is; or stay, and tell why not."""
        self._saving = False
        if message.failed:
            self._refuse(message.words)
        else:
            _notify(self.explorer, message)
            self.dismiss()

    def action_other(self) -> None:
        """From the kind to the name and back."""
        other = self.query_one(RowsView) if self.query_one(Input).has_focus else self.query_one(Input)
        other.focus()

    def action_leave(self) -> None:
        """Save nothing."""
        self.dismiss()


def _notify(explorer: Explorer, saved: Export.Saved) -> None:
    explorer.notify(span(saved.words).text, severity="error" if saved.failed else "information", markup=False)


_KEYS = line(span("Enter", Tone.KEY), " goes on, then saves, ", span("Esc", Tone.KEY), " saves nothing")
