"""What was chosen for a plan: rules on subjects, whatever findings a later look gathers them into."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from fsadvisor.report.findings import Finding


class Choice:
    """Rule and subject of each verdict that was chosen, in the order chosen.

    A finding is known by its first subject, and gathers others from look to look: were it chosen as such, a disk that
    came later would be planned for though nobody chose it, and one that is told of apart now would be left out.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._pairs = dict.fromkeys(pairs)

    def __bool__(self) -> bool:
        return bool(self._pairs)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Rules and ids of subjects, as of this moment."""
        return tuple(self._pairs)

    def of(self, finding: Finding) -> int:
        """Of how many of its subjects it was chosen."""
        return sum(pair in self._pairs for pair in pairs_of(finding)) if self._pairs else 0

    def findings(self, found: Sequence[Finding]) -> int:
        """How many of these were chosen, be it for some of their subjects."""
        rules = {rule for rule, _ in self._pairs}
        return sum(one.rule.id in rules and any(pair in self._pairs for pair in pairs_of(one)) for one in found)

    def add(self, found: Iterable[Finding]) -> None:
        """All subjects of these."""
        self._pairs |= dict.fromkeys(pair for one in found for pair in pairs_of(one))

    def drop(self, finding: Finding) -> None:
        """None of its subjects."""
        for pair in pairs_of(finding):
            self._pairs.pop(pair, None)

    def turn(self, finding: Finding) -> bool:
        """All of its subjects, or none where it was all; whether it is chosen now."""
        if self.of(finding) == len(finding.verdicts):
            self.drop(finding)
            return False
        self.add((finding,))
        return True

    def clear(self) -> None:
        """Nothing."""
        self._pairs.clear()


def pairs_of(finding: Finding) -> Iterator[tuple[str, str]]:
    """Its rule and each of its subjects."""
    return ((finding.rule.id, subject.id) for subject in finding.subjects)


def the_chosen(found: Iterable[Finding], pairs: Container[tuple[str, str]]) -> Iterator[Finding]:
    """The findings, each of those of its subjects that were chosen alone."""
    for one in found:
        verdicts = [it for it in one.verdicts if (it.rule.id, it.subject.id) in pairs]
        if verdicts:
            yield type(one)(one.rule, one.outcome, one.truths, verdicts)
