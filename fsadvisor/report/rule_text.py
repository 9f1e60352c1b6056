"""What a rule itself says, for findings and for its own page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.escape import clean
from fsadvisor.pages.text import wrapped
from fsadvisor.report import guides

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.rulebook.shape import Figure, Gain, Reference
    from fsadvisor.rulebook.tables import Erratum

NEEDS: Final = {
    "online": "no interruption",
    "remount": "needs a remount",
    "unmount": "needs an unmount",
    "reboot": "needs a reboot",
    "reformat": "needs a new format: all data must be restored",
    "hardware": "needs other hardware",
}

_IN_OPTIONS: Final = "To keep it, change the options in /etc/fstab or in the mount unit"


def section(title: str, columns: int) -> Iterator[str]:
    """A blank line and a title."""
    yield "\n"
    yield from wrapped(title, columns, "   ", "     ")


def commands(title: str, lines: Iterable[str], columns: int) -> Iterator[str]:
    """A title and its lines, each once; without any, no title either."""
    different = dict.fromkeys(lines)
    if different:
        yield from section(title, columns)
        yield from pasted(different)


def pasted(lines: Iterable[str]) -> Iterator[str]:
    """Lines to paste, never broken."""
    return (f"     {clean(line, None)}\n" for line in lines)


def keep(kept: Iterable[tuple[str, str]], columns: int) -> Iterator[str]:
    """Pairs of a file and a line for it ('' where mount options change); lines for the same file stand together."""
    for title, lines in by_file(kept):
        yield from commands(title, lines, columns)


def by_file(kept: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The title for each file, and what goes there."""
    files: dict[str, list[str]] = {}
    for file, line in kept:
        files.setdefault(file, []).append(line)
    for file, lines in files.items():
        yield f"To keep it, put into {clean(file)}" if file else _IN_OPTIONS, tuple(lines)


def options(mount: str, add: tuple[str, ...], remove: tuple[str, ...]) -> str:
    """'/srv: add noatime; remove relatime'."""
    changes = [f"{verb} {', '.join(some)}" for verb, some in (("add", add), ("remove", remove)) if some]
    return f"{mount}: {'; '.join(changes)}"


def gain(brings: Gain, columns: int) -> Iterator[str]:
    """What gets better, every figure with who says it and where it was seen."""
    yield from section(f"What it brings: {brings.metric} ({brings.basis})", columns)
    yield from figures(brings.figures, columns)
    if not brings.figures:
        yield from wrapped("No figure is known.", columns, "     ")
    if brings.believe:
        yield from wrapped(f"Believe: {brings.believe}", columns, "     ")
    if brings.measure and not brings.told_here:
        yield from wrapped(f"The probe {brings.measure} would measure it.", columns, "     ")


def figures(given: Iterable[Figure], columns: int) -> Iterator[str]:
    """Each figure, and under it who gives it, the conditions, and in which table it stands."""
    for figure in given:
        yield from wrapped(figure.says, columns, "     - ")
        yield from wrapped(f"{figure.source}: {guides.conditions(figure)}", columns, "       ")


def errata(given: Iterable[Erratum], columns: int) -> Iterator[str]:
    """What holds, and under it what a guide says instead."""
    for one in given:
        yield from wrapped(guides.holds(one), columns, "     - ")
        yield from wrapped(guides.claimed(one), columns, "       ")


def references(given: Iterable[Reference], columns: int) -> Iterator[str]:
    """A title and addresses."""
    yield from section("References", columns)
    yield from addresses(given, columns)


def addresses(given: Iterable[Reference], columns: int) -> Iterator[str]:
    """Addresses on lines of their own, with what they say."""
    for reference in given:
        yield f"     {clean(reference.url, None)}\n"
        yield from wrapped(reference.says, columns, "       ")
