"""Configuration files that make a remedy last: lines of several findings gathered by file.

How to change a mount that a unit file configures: a drop-in, proposed in words and never written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor import secrecy
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.plan.model import FileChange, UnfitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fsadvisor.machine.port import Answer
    from fsadvisor.plan.changes import Proposal
    from fsadvisor.plan.fstab_patch import Wish
    from fsadvisor.storage import Mount


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


def mount_unit_hint(mount: Mount | None, wish: Wish) -> tuple[str, ...]:
    """The drop-in's path and lines; () where its options are not known or not shown, or systemd might read others."""
    if mount is None or not isinstance(mount.configured_options, Known) or not isinstance(mount.configured_in, Known):
        return ()
    kept = [it for it in mount.configured_options.value if it and it not in wish.remove]
    options = ",".join((*kept, *(it for it in wish.add if it not in kept))) or "defaults"
    if "%" in options or secrecy.hides(options) or not options.isprintable():
        return ()
    name = mount.configured_in.value.rpartition("/")[2]
    return f"/etc/systemd/system/{name}.d/50-fsadvisor.conf:", "[Mount]", f"Options={options}"
