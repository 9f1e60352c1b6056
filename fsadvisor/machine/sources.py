"""How an answer's source is written, so that a live and a recorded machine name the same one."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv

UDEV = "udevadm info --export-db"
PROCESSES = "the running processes"
COUNTERS = "/proc/meminfo and /proc/diskstats"


def command(argv: Argv) -> str:
    """The command as one would type it."""
    return shlex.join(argv)


def space(mount_point: str) -> str:
    """The command that tells the same."""
    return command(("stat", "-f", mount_point))


def flags(path: str) -> str:
    """The command that tells the same."""
    return command(("lsattr", "-d", path))


def extents(path: str) -> str:
    """What is asked, since no command tells the same."""
    return f"FIEMAP of the largest files below {shlex.quote(path)}"
