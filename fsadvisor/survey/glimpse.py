"""What there is, by name, told before anything else is read: a big machine is surveyed for many seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.readers import mount_tables
from fsadvisor.survey import block, read_fact, superblocks

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine


class Glimpse(Struct, frozen=True):
    """Mount points, each with its type of filesystem, and names of whole disks: either may be more in the survey."""

    mounts: tuple[tuple[str, str], ...]
    drives: tuple[str, ...]


def glimpse(machine: Machine) -> Glimpse:
    """Two questions to the kernel; what it does not answer is told by the survey."""
    table = read_fact.file_record(machine, "/proc/self/mountinfo", mount_tables.parse_mountinfo)
    mounts = () if isinstance(table, Unknown) else superblocks.visible(table.mounts)
    names = machine.entries("/sys/block")
    drives = () if isinstance(names, Unknown) else tuple(one for one in names if block.may_be_drive(one))
    return Glimpse(tuple((one.mount_point, one.fs_type) for one in mounts), drives)
