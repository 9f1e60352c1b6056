"""The stack graph: what stands right below each subject, and which leaf disks are reached in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fsadvisor.survey import look
from fsadvisor.survey.superblocks import mount_point_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.block import BlockTree
    from fsadvisor.survey.filesystem_types.base import Superblock


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


def build_stack(machine: Machine, tree: BlockTree, blocks: Sequence[Superblock]) -> Stack:
    """The ids right below each device and filesystem, and those that can't be followed."""
    under: dict[str, tuple[str, ...]] = {}
    open_ended: set[str] = set()
    at_place = {mount.mount_point: block.id for block in blocks for mount in block.mounts}
    for device in tree.devices.values():
        if device.is_disk:
            continue
        at = f"layer:{device.name}"
        slaves = device.slaves or ()
        under[at] = tuple(_id(tree, name) for name in slaves if name in tree.devices)
        if device.slaves is None or len(under[at]) < len(slaves):
            open_ended.add(at)
        path = f"{device.folder}/loop/backing_file"
        backing = look.value(look.text(machine, path)) if "loop" in device.holds else None
        place = mount_point_of(backing, at_place) if backing else None
        if place:
            under[at] = (at_place[place],)
    for block in blocks:
        under[block.id] = tuple(_id(tree, name) for name in block.devices)
        place = mount_point_of(block.upper, at_place) if block.upper else None
        if place and at_place[place] != block.id:
            under[block.id] = (at_place[place],)
        elif not block.followed:
            open_ended.add(block.id)
    return Stack(under, frozenset(open_ended))


def _id(tree: BlockTree, name: str) -> str:
    return f"{'disk' if tree.devices[name].is_disk else 'layer'}:{name}"
