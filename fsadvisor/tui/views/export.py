"""What can be saved as a file: the screen as a picture, the report in each of its forms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.pages.glyphs import Span, Tone, cut, line, span
from fsadvisor.pages.values import counted
from fsadvisor.report.as_html import as_html
from fsadvisor.report.as_json import as_json
from fsadvisor.report.as_text import as_text
from fsadvisor.tui.views.rows import Row

if TYPE_CHECKING:
    from datetime import date

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.look import Look

_FONT: Final = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST: Final = 60
_WORD: Final = 9


class Form(Struct, frozen=True):
    """A kind of file: its ending is its key."""

    ending: str
    name: str
    says: str


FORMS: Final = (
    Form("svg", "Screen", "as it is seen now, a picture (SVG)"),
    Form("txt", "Text", "the report, for people"),
    Form("json", "JSON", "the report, for scripts"),
    Form("html", "HTML", "the report in one file, for a ticket or paper"),
)


def rows(width: int, glyphs: Glyphs) -> list[Row]:
    """One line for each form."""
    return [
        Row(
            form.ending,
            (cut(line(Span(" "), span(form.name.ljust(_WORD), Tone.STRONG), form.says), width, glyphs.ellipsis),),
        )
        for form in FORMS
    ]


def file_name(look: Look, day: date, ending: str) -> str:
    """'db7-2026-11-21.html': nothing that a shell or a folder would take for anything else."""
    name = look.host or look.storage.machine.rstrip("/").rpartition("/")[2]
    plain = _NO_NAME.sub("-", name).strip("-.")[:_LONGEST].rstrip("-.")
    return f"{plain or 'machine'}-{day:%Y-%m-%d}.{ending}"


def obstacle(look: Look, ending: str) -> str:
    """Why this can't be saved now, '' where it can: a report never has what is still being asked."""
    if ending == "svg":
        return ""
    if look.supposed:
        return "What is supposed is no report: go back to what is so first."
    if look.asking:
        return (
            f"{counted(len(look.asking), 'answer')} still to come: a report would lack them. Wait, or save the screen."
        )
    return ""


def content(look: Look, ending: str, picture: str, *, every: bool = False) -> bytes:
    """The file; `picture` is the screen as SVG. On a big machine this takes seconds."""
    if ending == "svg":
        return without_fonts(picture).encode("utf-8", "backslashreplace")
    if ending == "json":
        return b"".join(as_json(look.storage, look.verdicts, look.about))
    if ending == "html":
        return "".join(as_html(look.storage, look.verdicts, look.about)).encode("utf-8", "backslashreplace")
    report = as_text(look.storage, look.verdicts, look.about, full=True, every=every)
    return "".join(report).encode("utf-8", "backslashreplace")


def without_fonts(picture: str) -> str:
    """The picture without what would be loaded from elsewhere; a font of the reader's own takes its place."""
    return _FONT.sub("", picture).replace("Fira Code,", "DejaVu Sans Mono, Menlo, Consolas,")
