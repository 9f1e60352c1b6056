r"""The texts of a plan: as files of a directory, all in one to read, and as JSON for scripts.

README.txt says what the plan is, how it is run and taken back, what is left to people, what was refused. In JSON, a
byte of a file that is no UTF-8 stands as four characters, \xNN: what is to be applied is what --out writes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import Struct

from fsadvisor import __version__
from fsadvisor.machine import safe_files
from fsadvisor.machine.runner import encoded
from fsadvisor.pages.document import Commands, Gap, Prose, Verbatim, paragraph
from fsadvisor.pages.glyphs import clean, line, span
from fsadvisor.pages.published import encodable, json_escaped
from fsadvisor.pages.text import render
from fsadvisor.plan import Manual, Plan, Refusal, Step, fstab_patch
from fsadvisor.plan.script import parts, plan_script, undo_script
from fsadvisor.plan.shell import WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fsadvisor.pages.document import Block
    from fsadvisor.plan import Finding, FstabChange


_HOW: Final = "Nothing has been run. Read plan.sh first: each step says which rule asks for it and why. Then, as root:"
_COMMANDS: Final = (
    "sh plan.sh --check    looks whether all is as it was seen, and changes nothing",
    "sh plan.sh            does it, and stops at the first surprise or failure",
    "sh undo.sh            brings back what was seen",
)
_PLACES: Final = (
    "To try the scripts on copies, set FSTAB (default /etc/fstab), FILES_IN and STATE in the environment. FILES_IN "
    "stands before the paths of new files (default nothing). In STATE plan.sh keeps copies for undo.sh."
)


def readme(plan: Plan) -> str:
    """The text of README.txt."""
    return "".join(render(_blocks(plan), WIDTH, 4))


def _blocks(plan: Plan) -> Iterator[Block]:
    yield from (paragraph(f"A plan for {plan.machine}, by fsadvisor {__version__}"), Gap())
    if plan.scripted:
        yield from (paragraph(_HOW), Gap(), Verbatim(tuple(map(span, _COMMANDS))), Gap())
        if plan.fstab or plan.files:
            yield paragraph(_PLACES)
        yield from _title("Steps of plan.sh")
        for number, part in enumerate(parts(plan), start=1):
            yield _numbered(number, part.title)
            yield from (_inside(_named(finding)) for finding in part.findings)
            if part.advice:
                yield Prose(f"Note: {part.advice}")
    else:
        yield paragraph("There is nothing that a script could do.")
    if plan.manual:
        yield from _title("Left to you, after plan.sh" if plan.scripted else "Left to you")
        for number, manual in enumerate(plan.manual, start=1):
            yield from _manual(manual, number)
    if plan.refused:
        yield from _title("Not planned")
        for refusal in plan.refused:
            yield paragraph(f"{_named(refusal.finding)}: {refusal.reason}", first=line("  - "))


def _title(text: str) -> Iterator[Block]:
    return iter((Gap(), paragraph(text), Gap()))


def _numbered(number: int, text: str) -> Block:
    return paragraph(text, first=line(f"{number}. ".rjust(4)))


def _inside(text: str) -> Block:
    return paragraph(text, first=line("    "))


def _named(finding: Finding) -> str:
    return f"{finding.rule} on {finding.subject} ({finding.reason})"


def _manual(manual: Manual, number: int) -> Iterator[Block]:
    yield _numbered(number, manual.finding.title)
    yield _inside(f"{_named(manual.finding)}; {manual.reason}")
    if manual.advice:
        yield Prose(manual.advice)
    yield from _commands("Commands:", manual.commands)
    yield from _commands("Permanently:", manual.keep)
    yield from _commands("Undo:", manual.undo)


def _commands(title: str, lines: Iterable[str]) -> Iterator[Block]:
    different = dict.fromkeys(lines)
    if different:
        yield _inside(title)
        yield Commands(tuple(f"  {one}" for one in different))


_PROGRAM: Final = 0o755
_PRIVATE_PROGRAM: Final = 0o700
"""A sum tells who knows all else of an fstab that only root may read which password in it is the right one."""


class PlanText(Struct, frozen=True):
    """A file of the plan's folder: its path in there, its text (bytes as surrogates), its mode."""

    path: str
    text: str
    mode: int = safe_files.PUBLIC


def write(documents: Iterable[PlanText], directory: Path) -> None:
    """Into a new or empty one, plan.sh at the end: where it is, there is the way back. Raises MachineError."""
    files = [(it.path, encoded(it.text), it.mode) for it in documents]
    safe_files.write_tree(directory, reversed(files))


def documents(plan: Plan) -> tuple[PlanText, ...]:
    """What there is to write, the script first."""
    return tuple(_documents(plan))


def _documents(plan: Plan) -> Iterator[PlanText]:
    if plan.scripted:
        mode = _PRIVATE_PROGRAM if plan.fstab else _PROGRAM
        yield PlanText("plan.sh", plan_script(plan), mode)
        yield PlanText("undo.sh", undo_script(plan), mode)
    if plan.fstab:
        yield PlanText("fstab.diff", fstab_diff(plan.fstab), safe_files.PRIVATE)
    for change in plan.files:
        yield PlanText(f"files{change.path}", change.after)
    yield PlanText("README.txt", readme(plan))


def fstab_diff(change: FstabChange) -> str:
    """The change as a unified diff."""
    return fstab_patch.diff("/etc/fstab", change.before, change.after)


def as_one_text(plan: Plan) -> Iterator[str]:
    """All documents, one after the other, for reading: a line that is no comment never follows the script's end.

    What a terminal can't show is escaped, so what is to be run or applied is what --out writes.
    """
    for number, document in enumerate(documents(plan)):
        if number:
            yield f"\n# ==== {document.path} ".ljust(100, "=") + "\n"
        for row in document.text.removesuffix("\n").split("\n"):
            yield "\t".join(clean(piece, None) for piece in row.split("\t")) + "\n"


SCHEMA: Final = "fsadvisor/plan/1"


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of the plan's folder; the mode in octal digits."""

    path: str
    mode: str
    text: str


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole document. The steps stand in the order of running; the changes of files follow them."""

    schema: Literal["fsadvisor/plan/1"]
    machine: str
    kernel: str
    steps: tuple[Step, ...]
    manual: tuple[Manual, ...]
    refused: tuple[Refusal, ...]
    files: tuple[File, ...]


def as_json(plan: Plan) -> str:
    """The document, with every character that is not printable as a JSON escape."""
    document = Document(
        schema=SCHEMA,
        machine=plan.machine,
        kernel=plan.kernel,
        steps=plan.steps,
        manual=plan.manual,
        refused=plan.refused,
        files=tuple(File(path=it.path, mode=f"{it.mode:o}", text=it.text) for it in documents(plan)),
    )
    return _escaped(json.dumps(encodable(msgspec.to_builtins(document)), indent=1, ensure_ascii=False))


def _escaped(document: str) -> str:
    """Escape within the lines; line ends between them are the document's own."""
    return "".join(f"{json_escaped(line)}\n" for line in document.split("\n"))
