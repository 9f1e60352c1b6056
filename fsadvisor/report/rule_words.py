"""What is said of a rule on its own page and of each finding: what it takes, what it brings, what guides say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Figure, Figures, Gap, Heading, Item, Reference
from fsadvisor.pages.escape import clean
from fsadvisor.pages.spans import Line, Span, Tone, line, span
from fsadvisor.rulebook import tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.pages.document import Block
    from fsadvisor.rulebook import shape
    from fsadvisor.rulebook.rule import Rule

NEEDS: Final = {
    "online": "no interruption",
    "remount": "needs a remount",
    "unmount": "needs an unmount",
    "reboot": "needs a reboot",
    "reformat": "needs a new format: all data must be restored",
    "hardware": "needs other hardware",
}
GUIDES: Final = "What guides say, and what is wrong with it"

_IN_OPTIONS: Final = "To keep it, change the options in /etc/fstab or in the mount unit"


def part(title: str, *blocks: Block) -> Iterator[Block]:
    """A part of a page below its title."""
    yield from (Gap(), Heading(title), *blocks)


def by_file(kept: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The title for each file ('' where mount options change), and what goes there."""
    files: dict[str, list[str]] = {}
    for file, words in kept:
        files.setdefault(file, []).append(words)
    for file, lines in files.items():
        yield f"To keep it, put into {clean(file)}" if file else _IN_OPTIONS, tuple(lines)


def options(mount: str, add: tuple[str, ...], remove: tuple[str, ...]) -> str:
    """'/srv: add noatime; remove relatime'."""
    changes = [f"{verb} {', '.join(some)}" for verb, some in (("add", add), ("remove", remove)) if some]
    return f"{mount}: {'; '.join(changes)}"


def figures(gain: shape.Gain) -> Figures:
    """Every figure with who says it and where it was seen, and which to believe."""
    remarks: list[Line] = []
    if not gain.figures:
        remarks.append(line("No figure is known."))
    if gain.believe:
        remarks.append(line(span("Believe: ", Tone.STRONG), gain.believe))
    if gain.measure and not gain.told_here:
        remarks.append(line("The probe ", span(gain.measure, Tone.KEY), " would measure it."))
    return Figures(tuple(map(_figure, gain.figures)), tuple(remarks))


def _figure(one: shape.Figure) -> Figure:
    """With the table of published figures that it stands in."""
    conditions = line(span(one.conditions, Tone.DIM))
    if not one.table:
        return Figure(one.says, one.source, "", conditions)
    table = span(f"(table {one.table})", Tone.DIM, link=f"tables.md#{one.table}")
    return Figure(one.says, one.source, tables.table(one.table).basis, (*conditions, Span(" ", Tone.DIM), table))


def guides(rule: Rule) -> Iterator[Block]:
    """What holds, and below it what a guide says instead and the number of the erratum: never the claim alone."""
    if rule.errata:
        yield from part(GUIDES, *map(_erratum, rule.errata))


def _erratum(number: str) -> Item:
    """'noatime implies nodiratime (mount(8))', 'Imprecise, though told by …: mount with noatime,nodiratime (E12)'."""
    one = tables.errata()[number]
    told = "and" if one.verdict == "right" else "though"
    claim = f"{one.verdict.capitalize()}, {told} told by {tables.seeds()[one.seed].name}: {one.says} "
    key = span(f"({number})", Tone.DIM, link=f"errata.md#{number.lower()}")
    return Item(line(f"{one.correction} ({one.source})"), (span(claim, Tone.DIM), key))


def references(rule: Rule) -> Iterator[Block]:
    """Who says so."""
    return part("References", *(Reference(one.url, one.says) for one in rule.references))
