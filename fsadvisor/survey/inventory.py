"""What is asked once of the whole machine, and what every stage of the survey reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.facts import Fact, Unknown
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.dmsetup import Target
    from fsadvisor.readers.json_text import Json
    from fsadvisor.readers.lvs import LogicalVolume
    from fsadvisor.readers.mount_tables import Mount
    from fsadvisor.survey.block import BlockDevice, BlockTree
    from fsadvisor.survey.configured import Configured
    from fsadvisor.survey.filesystem_types.base import Superblock
    from fsadvisor.survey.measured import Probed
    from fsadvisor.survey.programs import RunningProgram
    from fsadvisor.survey.queue import Queue
    from fsadvisor.survey.stack import Stack
    from fsadvisor.survey.udev import Udev
    from fsadvisor.version import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The machine-wide answers; `seen_devices` and `seen_mounts` say whether those lists could be read at all."""

    machine: Machine
    tree: BlockTree
    seen_devices: Fact[int]
    queues: Mapping[str, Queue]
    """By the name of a whole device."""
    mounts: tuple[Mount, ...]
    seen_mounts: Fact[int]
    blocks: Mapping[str, Superblock]
    """The mounted filesystems by id."""
    stack: Stack
    configured: Mapping[str, Configured]
    """By mount point."""
    no_fstab: Unknown | None
    """Why there may be more configured mounts."""
    programs: tuple[RunningProgram, ...] | Unknown
    probed: Probed
    kernel: Fact[Version]
    in_vm: Fact[bool]
    udev: Udev
    io: Json | Unknown
    uptime: Fact[int]
    lsblk_labels: Mapping[str, str]
    tables: Mapping[str, tuple[Target, ...]] | Unknown
    volumes: Mapping[str, LogicalVolume] | Unknown

    def block(self, subject: str) -> Superblock | None:
        """The superblock of a filesystem by its id."""
        return self.blocks.get(subject)

    def queue_of(self, device: BlockDevice) -> Queue:
        """The settings of its queue; a partition has that of its whole device."""
        return self.queues[device.parent or device.name]
