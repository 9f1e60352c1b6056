"""What is asked once of the whole machine, the stack of it, and what the stages of the survey found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.storage import Subject
from fsadvisor.survey import measured, read_fact
from fsadvisor.survey.filesystem_types.registry import mount_point_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from fsadvisor.facts import Fact, Unknown
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.dmsetup import Target
    from fsadvisor.readers.json_text import Json
    from fsadvisor.readers.kernel_log import KernelLog
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.readers.volume_tools import LogicalVolume
    from fsadvisor.storage import Below, Disk, Facts, Filesystem, Host, Layer
    from fsadvisor.storage.about import Kind, PowerState
    from fsadvisor.survey.block import BlockDevice, BlockTree, Queue, Udev
    from fsadvisor.survey.configured import Configured
    from fsadvisor.survey.filesystem_types import Superblock
    from fsadvisor.survey.measured import ProbesByMount
    from fsadvisor.survey.programs import RunningProgram
    from fsadvisor.survey.trends import Past
    from fsadvisor.version import Version


class Stack:
    """`below` maps a subject's id to the ids right below it; `open_ended` are those not followed to hardware."""

    def __init__(self, below: Mapping[str, tuple[str, ...]], open_ended: frozenset[str]) -> None:
        self.below = below
        self.open_ended = open_ended
        self._under: dict[str, tuple[str, ...]] = {}
        self._above: dict[str, tuple[str, ...]] = {}
        for name in below:
            if name.startswith("filesystem:"):
                for leaf in self.under(name):
                    self._above[leaf] = (*self._above.get(leaf, ()), name)

    def under(self, subject: str) -> tuple[str, ...]:
        """Every id below a subject, nearest first; a loop in the graph is walked once."""
        if subject not in self._under:
            seen: dict[str, None] = {}
            waiting = list(self.below.get(subject, ()))
            while waiting:
                below = waiting.pop(0)
                if below not in seen:
                    seen[below] = None
                    waiting.extend(self.below.get(below, ()))
            self._under[subject] = tuple(seen)
        return self._under[subject]

    def followed(self, subject: str) -> bool:
        """Whether every way down ends at a disk, and there is one: a loop in the graph ends nowhere."""
        to_disk = False
        for at in (subject, *self.under(subject)):
            is_disk = at.startswith("disk:")
            if at in self.open_ended or not (is_disk or self.below.get(at)):
                return False
            to_disk = to_disk or is_disk
        return to_disk

    def filesystems_on(self, leaf: str) -> tuple[str, ...]:
        """The filesystems that stand on a disk, by whatever way."""
        return self._above.get(leaf, ())


def build_stack(machine: Machine, tree: BlockTree, blocks: Sequence[Superblock], passed_over: Container[str]) -> Stack:
    """The ids right below each device and filesystem, and those that can't be followed."""
    under: dict[str, tuple[str, ...]] = {}
    open_ended: set[str] = set()
    points = {mount.mount_point: block.id for block in blocks for mount in block.mounts}
    for device in tree.devices.values():
        if device.is_disk:
            continue
        layer = device.id
        slaves = device.slaves or ()
        under[layer] = tuple(tree.devices[name].id for name in slaves if name in tree.devices)
        if device.slaves is None or len(under[layer]) < len(slaves):
            open_ended.add(layer)
        path = f"{device.folder}/loop/backing_file"
        backing = read_fact.value(read_fact.text(machine, path)) if "loop" in device.holds else None
        point = mount_point_of(backing, points, passed_over) if backing else None
        if point:
            under[layer] = (points[point],)
    for block in blocks:
        under[block.id] = tuple(tree.devices[name].id for name in block.devices)
        point = mount_point_of(block.upper, points) if block.upper else None
        if point and points[point] != block.id:
            under[block.id] = (points[point],)
        elif not block.followed:
            open_ended.add(block.id)
    return Stack(under, frozenset(open_ended))


class Identifiers(Struct, frozen=True, kw_only=True):
    """What tells which drives and which filesystem a subject is."""

    machine: Machine
    stack: Stack
    udev: Udev
    first_devices: Mapping[str, str]
    """Of each mounted filesystem by its id."""


class Inventory(Struct, frozen=True, kw_only=True):
    """The machine-wide answers; `seen_devices` and `seen_mounts` say whether those lists could be read at all."""

    machine: Machine
    tree: BlockTree
    seen_devices: Fact[int]
    queues: Mapping[str, Queue]
    """By the name of a whole device."""
    power_states: Mapping[str, Fact[PowerState]]
    """By the name of a disk that may sleep."""
    mounts: tuple[MountEntry, ...]
    seen_mounts: Fact[int]
    passed_over: frozenset[str]
    """The mount points of filesystems that are not looked at."""
    blocks: Mapping[str, Superblock]
    """The mounted filesystems by id."""
    stack: Stack
    configured: Mapping[str, Configured]
    """By mount point."""
    no_fstab: Unknown | None
    """Why there may be more configured mounts."""
    programs: tuple[RunningProgram, ...] | Unknown
    probed: ProbesByMount
    kernel: Fact[Version]
    in_vm: Fact[bool]
    udev: Udev
    io: Json | Unknown
    uptime: Fact[int]
    log: KernelLog | Unknown
    past: Past
    lsblk_labels: Mapping[str, str]
    tables: Mapping[str, tuple[Target, ...]] | Unknown
    volumes: Mapping[str, LogicalVolume] | Unknown

    def block(self, subject: str) -> Superblock | None:
        """The superblock of a filesystem by its id."""
        return self.blocks.get(subject)

    def identifiers(self) -> Identifiers:
        """What of it outlives the survey."""
        first_devices = {block.id: block.devices[0] for block in self.blocks.values() if block.devices}
        return Identifiers(machine=self.machine, stack=self.stack, udev=self.udev, first_devices=first_devices)

    def queue_of(self, device: BlockDevice) -> Queue:
        """The settings of its queue; a partition has that of its whole device."""
        return self.queues[device.parent or device.name]


class Surveyed(Struct, frozen=True, kw_only=True):
    """The facts of the host and, by id, of everything that mounts stand on; `below` those folded under each."""

    inventory: Inventory
    disks: dict[str, Disk]
    layers: Mapping[str, Layer]
    filesystems: Mapping[str, Filesystem]
    below: Mapping[str, Below]
    host: Host

    def subject(
        self, subject: str, kind: Kind, name: str, scope: Mapping[str, Facts], under: tuple[str, ...]
    ) -> Subject:
        """A subject by its id; `under` are the ids right below it. The host's facts are in every scope."""
        return Subject(id=subject, kind=kind, name=name, below=under, scope={**scope, "host": self.host})

    def disks_and_layers(self, filesystem: str) -> list[Disk | Layer]:
        """Those under a filesystem."""
        found = [self.disks.get(it) or self.layers.get(it) for it in self.inventory.stack.under(filesystem)]
        return [known for known in found if known is not None]

    def conditions(self, mount: Subject) -> Mapping[str, str]:
        """Those of today on a mount, for what was measured on it."""
        known = [block for block in mount.below if block in self.inventory.blocks]
        under = [part for block in known for part in self.disks_and_layers(block)]
        return measured.conditions(mount.scope, under)
