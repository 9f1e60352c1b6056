"""What is said of a finding in a few words: how grave, where, why there, what is open, what there is to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fsadvisor.advise import reason
from fsadvisor.pages.escape import clean
from fsadvisor.pages.text import counted, listed
from fsadvisor.pages.values import full_name, short_name
from fsadvisor.report import rule_words
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.truth import FALSE, TRUE, UNKNOWN, Truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.remedy import Instructions, Kept
    from fsadvisor.rulebook.rule import Ask
    from fsadvisor.storage import Subject

SUBJECTS: Final = 10
"""Subjects that are named."""

_OPEN_FIRST: Final = (FALSE, UNKNOWN, TRUE)
IN_JSON: Final = " (--json has all)"
"""Where those stand of many subjects that are not named."""


def headline(finding: Finding) -> str:
    """'critical risk', 'moderate gain, withheld'."""
    words = f"{finding.rule.severity} {finding.rule.kind}"
    if finding.outcome is not Outcome.ADVISE:
        words = f"{words}, {finding.outcome.value}"
    return f"{words}, waived" if finding.waiver else words


def where(finding: Finding, most: int = SUBJECTS, all_are: str = IN_JSON) -> str:
    """The subjects, by name as far as there are few; `all_are` says where to find those that are not named."""
    subjects = list(finding.subjects)
    if len(subjects) == 1:
        return full_name(subjects[0])
    return f"{counted(len(subjects), finding.rule.subject)}: {named(subjects, most, all_are)}"


def named(subjects: Sequence[Subject], most: int = SUBJECTS, all_are: str = IN_JSON) -> str:
    """'sda, sdb and 5 more'."""
    names = [short_name(subject) for subject in subjects[:most]]
    if len(subjects) > most:
        names.append(f"{len(subjects) - most:,} more{all_are}")
    return listed(names)


def because(finding: Finding, *, first: bool) -> str:
    """Why it stands where it does."""
    return f"{'First' if first else 'Here'} because: {reason(finding.verdicts[0])}"


def waived(finding: Finding) -> str:
    """Who accepted it, until when and why; '' where nobody did."""
    waiver = finding.waiver
    if waiver is None:
        return ""
    return f"Waived by {waiver.by} on {waiver.on} until {waiver.until}: {waiver.because} {waiver.link}"


def folded(finding: Finding) -> Iterator[tuple[str, list[str]]]:
    """(title, lines) of what stands below a finding: what follows from it, and what waits until it is mended."""
    for title, below in (
        ("Follows from it", finding.consequences),
        ("Not worth doing before it is mended", finding.waiting),
    ):
        if below:
            yield title, [line(one) for one in below]


def line(finding: Finding) -> str:
    """A finding in one line: what, where, and the rule to read about it."""
    return f"{finding.rule.id} on {named(list(finding.subjects), 3, '')}: {finding.rule.title}"


def evidence(finding: Finding) -> list[tuple[Ask, Truth]]:
    """What decided that there is a finding."""
    return [pair for pair in finding.answers() if pair[0].part != "safety"]


def safety(finding: Finding) -> list[tuple[Ask, Truth]]:
    """What must be yes before commands are shown: open questions first."""
    asked = [pair for pair in finding.answers() if pair[0].part == "safety"]
    return sorted(asked, key=lambda pair: _OPEN_FIRST.index(pair[1]))


def safety_title(asked: Iterable[tuple[Ask, Truth]]) -> str:
    """What the answers come to."""
    truths = {truth for _, truth in asked}
    if FALSE in truths:
        return "No commands are shown, because not all is safe"
    if UNKNOWN in truths:
        return "First prove what is not known here; until then no commands are shown"
    return "Safe to do"


@dataclass(frozen=True, slots=True)
class Todo:
    """What to do about a finding: `ready` for the subjects that have commands; why others have none."""

    ready: list[Instructions]
    unfit: dict[str, list[Subject]]
    """The reason, where it is no open question, and the subjects."""

    @property
    def has_commands(self) -> bool:
        """Whether there is something to paste or to put into a file."""
        return bool(self.ready and (self.ready[0].now or self.ready[0].keep))


def todo(finding: Finding) -> Todo:
    """For all of its subjects, whose answers are the same: one open question leaves none with commands."""
    ready: list[Instructions] = []
    unfit: dict[str, list[Subject]] = {}
    if finding.verdicts[0].open_answers():
        return Todo(ready, unfit)
    for verdict in finding.verdicts:
        instructions = verdict.instructions()
        if not instructions.no_commands:
            ready.append(instructions)
        else:
            unfit.setdefault(instructions.no_commands, []).append(verdict.subject)
    return Todo(ready, unfit)


def each(commands: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The commands of several subjects, one after the other."""
    return (command for some in commands for command in some)


def kept(one: Kept) -> tuple[str, str]:
    """The file and its line, which are printable as commands are; '' and words where mount options change."""
    if one.file:
        return one.file, one.line
    return "", clean(rule_words.options(one.mount, one.add, one.remove), None)
