"""How an answer's source is written, so that a live and a recorded machine name the same one."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from fsadvisor.patterns import late

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv

UDEV = "udevadm info --export-db"
PROCESSES = "the running processes"
COUNTERS = "/proc/meminfo and /proc/diskstats"
_QUOTED: Final = late(r"[^\w@%+=:,./-]")
"""What a shell would not take as it stands: hardly any word of a command, so that all are asked at once."""


def command(argv: Argv, fetched: bool = False) -> str:
    """The command as one would type it, told apart where the tool is not the system's own but was fetched."""
    if fetched:
        return f"{shlex.join(argv[:1])} (fetched) {shlex.join(argv[1:])}".rstrip()
    plain = "".join(argv)
    return " ".join(argv) if all(argv) and plain.isascii() and not _QUOTED.search(plain) else shlex.join(argv)


def space(mount_point: str) -> str:
    """The command that tells the same."""
    return command(("stat", "-f", mount_point))


def flags(path: str) -> str:
    """The command that tells the same."""
    return command(("lsattr", "-d", path))


def hidden(path: str) -> str:
    """What is asked, since no command tells the same without a mount."""
    return f"what lies below the mount at {shlex.quote(path)}"


def extents(path: str) -> str:
    """What is asked, since no command tells the same."""
    return f"FIEMAP of the largest files below {shlex.quote(path)}"
