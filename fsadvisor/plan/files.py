"""Configuration files that make a remedy last: lines of several findings gathered by file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Unknown
from fsadvisor.plan.model import FileChange, UnfitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fsadvisor.machine.port import Answer
    from fsadvisor.plan.conflicts import Proposal

_PATH: Final = re.compile(r"/etc(/[A-Za-z0-9_@:-][A-Za-z0-9_.@:-]*)+")


def see_to(lines: Iterable[tuple[str, str]], read: Callable[[str], Answer]) -> None:
    """Raise UnfitError where one of these lines can't be written into its file."""
    for path, line in lines:
        if not _PATH.fullmatch(path) or path == "/etc/fstab":
            raise UnfitError(f"{path} is no file that a plan would write")
        if not line.isprintable():
            raise UnfitError(f"a line for {path} has characters that can't be printed")
        answer = read(path)
        if isinstance(answer, Unknown) and answer.cause is not Cause.NOT_EXPOSED:
            raise UnfitError(f"{path} could not be read")


def gathered(proposals: Sequence[Proposal], read: Callable[[str], Answer]) -> tuple[FileChange, ...]:
    """Each file once, with the lines that it lacks."""
    wanted: dict[str, list[list[str]]] = {}
    for proposal in proposals:
        for path in dict.fromkeys(path for path, _ in proposal.lines):
            wanted.setdefault(path, []).append([line for file, line in proposal.lines if file == path])
    found = []
    for path, texts in wanted.items():
        answer = read(path)
        before = None if isinstance(answer, Unknown) else answer.text
        old = [] if not before else before.removesuffix("\n").split("\n")
        pieces: list[str | int] = list(range(1, len(old) + 1))
        for lines in texts:
            _merge(pieces, lines, old)
        if any(isinstance(piece, str) for piece in pieces):
            findings = tuple(it.finding for it in proposals if any(path == file for file, _ in it.lines))
            found.append(FileChange(path=path, before=before, pieces=tuple(_ranges(pieces)), findings=findings))
    return tuple(found)


def _merge(pieces: list[str | int], lines: list[str], old: list[str]) -> None:
    """Put in the lines that are missing, each before the next of its own that is there: order counts for udev."""
    place = len(pieces)
    fresh = not pieces
    for line in reversed(lines):
        there = [at for at, piece in enumerate(pieces) if (old[piece - 1] if isinstance(piece, int) else piece) == line]
        if there and not fresh:
            place = there[-1]
        else:
            pieces.insert(place, line)


def _ranges(pieces: list[str | int]) -> Iterator[str | tuple[int, int]]:
    """Numbers of neighbouring lines as ranges."""
    first: int | None = None
    for at, piece in enumerate(pieces):
        if isinstance(piece, str):
            yield piece
            continue
        first = piece if first is None else first
        if at + 1 == len(pieces) or isinstance(pieces[at + 1], str):
            yield first, piece
            first = None
