"""What a process is: /proc/PID/stat.

Written against Linux 6.18. The name is the program's own choice and may hold spaces and brackets.

    25993 (cat) R 25986 25986 13809 0 -1 4194304 103 0 0 0 0 0 0 0 20 0 1 0 1372763 3133440 390 …

https://docs.kernel.org/filesystems/proc.html, proc_pid_stat(5)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_STATE, _PARENT, _STARTED = 0, 1, 19
"""Fields after the name, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessStat:
    """A process."""

    pid: int
    name: str
    state: str
    """R runs, S sleeps, D waits for a device and can't be killed, …"""
    parent: int
    started: int
    """Clock ticks after boot; with the pid it tells which process it is."""


def parse(text: str) -> ProcessStat | Unknown:
    """Read the file."""
    number, opened, rest = text.partition(" (")
    name, closed, after = rest.rpartition(") ")
    fields = after.split()
    if not opened or not closed or len(fields) <= _STARTED:
        return refusal(text, "no line of /proc/PID/stat")
    pid, parent, started = whole(number), whole(fields[_PARENT]), whole(fields[_STARTED])
    if pid is None or parent is None or started is None:
        return refusal(text, "no line of /proc/PID/stat")
    return ProcessStat(pid=pid, name=name, state=fields[_STATE], parent=parent, started=started)
