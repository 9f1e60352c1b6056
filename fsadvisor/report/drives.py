"""The verdicts of `fsadvisor drive`: their shape as JSON, and as text for people."""

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.pages.document import Gap, Item, Labelled, paragraph
from fsadvisor.pages.glyphs import line
from fsadvisor.pages.published import document_in_lines, published
from fsadvisor.pages.text import WIDTH, render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.captures import Judged
    from fsadvisor.pages.document import Block

SCHEMA: Final = "fsadvisor/drive/1"

Verdict: TypeAlias = Literal["proven", "claimed", "partial", "absent", "failed", "unknown"]


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One thing that was weighed: the verdict that it speaks for ('unknown' where it settles nothing)."""

    verdict: Verdict
    says: str
    source: str


class PowerLoss(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The verdict, all that was weighed for and against it, and what would settle it."""

    verdict: Verdict
    evidence: tuple[Evidence, ...]
    settle: tuple[str, ...]


class Drive(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One drive; `model` and `volatile_cache` are null where no output tells them."""

    model: str | None
    volatile_cache: bool | None
    plp: PowerLoss


class Drives(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All drives of the files, in their order."""

    schema: Literal["fsadvisor/drive/1"]
    drives: tuple[Drive, ...]


def as_json(found: "Iterable[Judged]") -> str:
    """The document, a drive on a line, escaped as in the report."""
    drives = (published(Drive, one, plp=published(PowerLoss, one.plp, settle=one.plp.steps)) for one in found)
    return document_in_lines(Drives(schema=SCHEMA, drives=()), drives)


_LABEL: Final = 23
_CACHE: Final = {True: "yes", False: "no", None: "not told"}


def as_text(found: "Iterable[Judged]", columns: int = WIDTH) -> "Iterator[str]":
    """A paragraph for each drive."""
    return render((block for at, one in enumerate(found) for block in _drive(one, at)), columns, 2)


def _drive(drive: "Judged", index: int) -> "Iterator[Block]":
    if index:
        yield Gap()
    yield paragraph("a drive without a name" if drive.model is None else drive.model)
    yield Labelled("power-loss protection", line(drive.plp.verdict), _LABEL)
    yield Labelled("volatile write cache", line(_CACHE[drive.volatile_cache]), _LABEL)
    for title, lines in (("weighed", map(str, drive.plp.evidence)), ("to settle it", drive.plp.steps)):
        items = [Item(line(words), level=1) for words in lines]
        if items:
            yield paragraph(title, first=line("  "))
            yield from items
