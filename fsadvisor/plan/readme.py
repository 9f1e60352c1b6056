"""README.txt: what the plan is, how it is run and taken back, what is left to people, what was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor._version import __version__
from fsadvisor.pages.document import Commands, Gap, Prose, Verbatim, paragraph
from fsadvisor.pages.spans import line, span
from fsadvisor.pages.text import render
from fsadvisor.plan.parts import parts
from fsadvisor.plan.shell import WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.pages.document import Block
    from fsadvisor.plan.model import Finding, Manual, Plan

_HOW: Final = "Nothing has been run. Read plan.sh first: each step says which rule asks for it and why. Then, as root:"
_COMMANDS: Final = (
    "sh plan.sh --check    looks whether all is as it was seen, and changes nothing",
    "sh plan.sh            does it, and stops at the first surprise or failure",
    "sh undo.sh            brings back what was seen",
)
_PLACES: Final = (
    "To try the scripts on copies, both take from the environment FSTAB (default /etc/fstab), FILES_IN (what stands "
    "before the paths of new files, default nothing) and STATE (the folder where plan.sh keeps copies for undo.sh)."
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
    yield from _commands("To keep it:", manual.keep)
    yield from _commands("Undo:", manual.undo)


def _commands(title: str, lines: Iterable[str]) -> Iterator[Block]:
    different = dict.fromkeys(lines)
    if different:
        yield _inside(title)
        yield Commands(tuple(f"  {one}" for one in different))
