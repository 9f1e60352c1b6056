"""Findings that want different things of one setting: the higher rank wins, of equals neither is planned."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from fsadvisor.plan import fstab_patch
from fsadvisor.plan.commands import sysctl_family
from fsadvisor.plan.model import Refusal
from fsadvisor.ranking import weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.advise import Verdict
    from fsadvisor.plan.fstab_patch import Wish
    from fsadvisor.plan.model import Change, Finding
    from fsadvisor.rulebook.remedy import Instructions

_SYSCTL_LINE: Final = re.compile(r"-?([A-Za-z0-9_.*/-]+)\s*=\s*(.*)")
_UDEV_ASSIGNMENT: Final = re.compile(r'(?:^|,)\s*([A-Z]+(?:\{[^}]*\})?)(?::=|\+=|=(?!=))\s*"([^"]*)"')

QUARREL: Final = "it wants something else of"
"""How the reason begins of a finding that is refused because of another."""


class Claim(NamedTuple):
    """What a finding decides of a setting: it shall have the value, or (there is False) it shall not."""

    setting: str
    value: str
    there: bool


class Proposal(Struct, frozen=True, kw_only=True):
    """What one finding would have a script do."""

    verdict: Verdict
    finding: Finding
    todo: Instructions
    changes: tuple[Change, ...]
    wishes: tuple[Wish, ...]
    lines: tuple[tuple[str, str], ...]
    """Files, and a line that each shall have."""

    def claims(self) -> Iterator[Claim]:
        """Everything that it decides."""
        for change in self.changes:
            yield from (Claim(setting, value, True) for setting, value in change.claims)
        for wish in self.wishes:
            yield from (Claim(*claim) for claim in fstab_patch.claims(wish))
        for file, line in self.lines:
            yield from (Claim(setting, value, True) for setting, value in _of_line(file, line))


def _of_line(file: str, line: str) -> Iterator[tuple[str, str]]:
    if "/sysctl.d/" in file and (found := _SYSCTL_LINE.fullmatch(line.strip())):
        yield f"{sysctl_family(found[1])} at boot", f"{found[1]} = {found[2]}"
    elif "/rules.d/" in file:
        matches = _UDEV_ASSIGNMENT.sub("", line).strip(" ,")
        yield from ((f"{key} by udev where {matches}", value) for key, value in _UDEV_ASSIGNMENT.findall(line))


def without_conflicts(proposals: Iterable[Proposal]) -> tuple[tuple[Proposal, ...], tuple[Refusal, ...]]:
    """The proposals, in rank order, that agree with each other; the others refused, both names in the reason.

    What was refused among equals stays contested: nothing of lower rank may decide it instead.
    """
    standing: list[Proposal] = []
    out: dict[int, str] = {}
    for new in proposals:
        for other in standing:
            setting = _quarrel(other, new)
            if setting is None:
                continue
            if weight(other.verdict.rank()) == weight(new.verdict.rank()):
                out.setdefault(id(other), _reason(setting, new, "and neither ranks before the other"))
                out.setdefault(id(new), _reason(setting, other, "and neither ranks before the other"))
            else:
                out.setdefault(id(new), _reason(setting, other, f"which ranks first ({other.finding.reason})"))
        if id(new) not in out or "neither" in out[id(new)]:
            standing.append(new)
    accepted = tuple(it for it in standing if id(it) not in out)
    return accepted, tuple(Refusal(finding=it.finding, reason=out[id(it)]) for it in proposals if id(it) in out)


def _reason(setting: str, other: Proposal, why: str) -> str:
    return f"{QUARREL} {setting} than {other.finding.rule} on {other.finding.subject}, {why}"


def _quarrel(one: Proposal, other: Proposal) -> str | None:
    """A setting of which the two want different things, or that `other` would change again along with more."""
    made = {setting for change in one.changes for setting, _ in change.claims}
    for change in other.changes:
        again = [setting for setting, _ in change.claims if setting in made]
        if again and len(again) < len(change.claims):
            return again[0]
    wanted = {claim.setting: claim.value for claim in one.claims() if claim.there}
    unwanted = {(claim.setting, claim.value) for claim in one.claims() if not claim.there}
    for setting, value, there in other.claims():
        if there and (wanted.get(setting, value) != value or (setting, value) in unwanted):
            return setting
        if not there and wanted.get(setting) == value:
            return setting
    return None
