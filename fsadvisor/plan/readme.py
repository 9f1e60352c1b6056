"""README.txt: what the plan is, how it is run and taken back, what is left to people, what was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor._version import __version__
from fsadvisor.pages.escape import clean
from fsadvisor.pages.text import paragraphs, wrapped
from fsadvisor.plan.parts import parts
from fsadvisor.plan.shell import WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.plan.model import Finding, Manual, Plan

_HOW: Final = """\
Nothing has been run. Read plan.sh first: each step says which rule asks for it and why. Then, as root:
"""
_COMMANDS: Final = """\
    sh plan.sh --check    looks whether all is as it was seen, and changes nothing
    sh plan.sh            does it, and stops at the first surprise or failure
    sh undo.sh            brings back what was seen
"""
_PLACES: Final = """\
To try the scripts on copies, both take from the environment FSTAB (default /etc/fstab), FILES_IN (what stands before
the paths of new files, default nothing) and STATE (the folder where plan.sh keeps copies for undo.sh).
"""


def readme(plan: Plan) -> str:
    """The text of README.txt."""
    return "".join(_lines(plan))


def _lines(plan: Plan) -> Iterator[str]:
    yield from wrapped(f"A plan for {plan.machine}, by fsadvisor {__version__}", WIDTH)
    if plan.scripted:
        yield "\n"
        yield from paragraphs(_HOW, WIDTH, "")
        yield f"\n{_COMMANDS}\n"
        if plan.fstab or plan.files:
            yield from paragraphs(_PLACES, WIDTH, "")
        yield from _title("Steps of plan.sh")
        for number, part in enumerate(parts(plan), start=1):
            yield from wrapped(part.title, WIDTH, f"{number}. ".rjust(4))
            for finding in part.findings:
                yield from wrapped(_named(finding), WIDTH, "    ")
            if part.advice:
                yield from paragraphs(f"Note: {part.advice}", WIDTH, "    ")
    else:
        yield "\n"
        yield from wrapped("There is nothing that a script could do.", WIDTH)
    if plan.manual:
        yield from _title("Left to you, after plan.sh" if plan.scripted else "Left to you")
        for number, manual in enumerate(plan.manual, start=1):
            yield from _manual(manual, number)
    if plan.refused:
        yield from _title("Not planned")
        for refusal in plan.refused:
            yield from wrapped(f"{_named(refusal.finding)}: {refusal.reason}", WIDTH, "  - ")


def _title(text: str) -> Iterator[str]:
    yield f"\n{text}\n\n"


def _named(finding: Finding) -> str:
    return f"{finding.rule} on {finding.subject} ({finding.reason})"


def _manual(manual: Manual, number: int) -> Iterator[str]:
    yield from wrapped(manual.finding.title, WIDTH, f"{number}. ".rjust(4))
    yield from wrapped(f"{_named(manual.finding)}; {manual.reason}", WIDTH, "    ")
    if manual.advice:
        yield from paragraphs(manual.advice, WIDTH, "    ")
    yield from _commands("Commands:", manual.commands)
    yield from _commands("To keep it:", manual.keep)
    yield from _commands("Undo:", manual.undo)


def _commands(title: str, lines: Iterable[str]) -> Iterator[str]:
    different = dict.fromkeys(lines)
    if different:
        yield f"    {title}\n"
        yield from (f"      {clean(line, None)}\n" for line in different)
