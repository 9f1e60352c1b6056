"""The stack graph: what stands right below each subject, and which leaf disks are reached in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Stack:
    """`below` maps a subject's id to the ids right below it; `open_ended` are those not followed to hardware."""

    below: Mapping[str, tuple[str, ...]]
    open_ended: frozenset[str]
    _above: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Turn the graph round once: leaf -> the filesystems on it."""
        for at in self.below:
            if at.startswith("filesystem:"):
                for leaf in self.under(at):
                    self._above[leaf] = (*self._above.get(leaf, ()), at)

    def under(self, subject: str) -> tuple[str, ...]:
        """Every id below a subject, nearest first; a loop in the graph is walked once."""
        seen: dict[str, None] = {}
        waiting = list(self.below.get(subject, ()))
        while waiting:
            at = waiting.pop(0)
            if at not in seen:
                seen[at] = None
                waiting.extend(self.below.get(at, ()))
        return tuple(seen)

    def followed(self, subject: str) -> bool:
        """Whether every way down ends at a disk, and there is one: a loop in the graph ends nowhere."""
        way = (subject, *self.under(subject))
        return any(at.startswith("disk:") for at in way) and not any(
            at in self.open_ended or not (self.below.get(at) or at.startswith("disk:")) for at in way
        )

    def filesystems_on(self, leaf: str) -> tuple[str, ...]:
        """The filesystems that stand on a disk, by whatever way."""
        return self._above.get(leaf, ())
