"""Names that tell which process made something: boot, number and start, as two processes never share all three."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_LABEL: Final = re.compile(r"([0-9a-f]{8})-([0-9]{1,10})-([0-9]{1,20})")
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def label() -> str:
    """That of this process."""
    return f"{boot()}-{os.getpid()}-{_start_of(os.getpid()) or 0}"


def may_live(one: str) -> bool:
    """Whether the process runs that has this label, as far as this PID namespace shows."""
    found = _LABEL.fullmatch(one)
    if found is None:
        return True
    at, number, start = found.groups()
    return at == boot() and _start_of(int(number)) == int(start)


def boot() -> str:
    """The first eight digits of this boot's id; zeros where it cannot be read."""
    try:
        return _BOOT_ID.read_text()[:8]
    except OSError:
        return "0" * 8


def _start_of(number: int) -> int | None:
    """When a process started, in clock ticks since boot; None where there is none."""
    try:
        return int(Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None
