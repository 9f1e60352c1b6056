"""The texts of a plan: as files of a folder, or all in one to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.machine import safe_files
from fsadvisor.machine.runner import encoded
from fsadvisor.pages.escape import clean
from fsadvisor.plan import fstab_patch
from fsadvisor.plan.readme import readme
from fsadvisor.plan.script import plan_script
from fsadvisor.plan.undo import undo_script

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fsadvisor.plan.model import FstabChange, Plan

_PROGRAM: Final = 0o755
_PRIVATE_PROGRAM: Final = 0o700
"""A sum tells who knows all else of an fstab that only root may read which password in it is the right one."""


class Document(Struct, frozen=True):
    """A file of the plan's folder: its path in there, its text (bytes as surrogates), its mode."""

    path: str
    text: str
    mode: int = safe_files.PUBLIC


def write(documents: Iterable[Document], directory: Path) -> None:
    """Into a new or empty one, plan.sh at the end: where it is, there is the way back. Raises MachineError."""
    files = [(it.path, encoded(it.text), it.mode) for it in documents]
    safe_files.write_tree(directory, reversed(files))


def documents(plan: Plan) -> tuple[Document, ...]:
    """What there is to write, the script first."""
    return tuple(_documents(plan))


def _documents(plan: Plan) -> Iterator[Document]:
    if plan.scripted:
        mode = _PRIVATE_PROGRAM if plan.fstab else _PROGRAM
        yield Document("plan.sh", plan_script(plan), mode)
        yield Document("undo.sh", undo_script(plan), mode)
    if plan.fstab:
        yield Document("fstab.diff", fstab_diff(plan.fstab), safe_files.PRIVATE)
    for change in plan.files:
        yield Document(f"files{change.path}", change.after)
    yield Document("README.txt", readme(plan))


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
        for line in document.text.removesuffix("\n").split("\n"):
            yield "\t".join(clean(piece, None) for piece in line.split("\t")) + "\n"
