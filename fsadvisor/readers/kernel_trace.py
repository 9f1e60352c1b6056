"""Lines of the kernel's tracing, as an instance's file `trace` has them.

Written against Linux 6.18. The name of the task is padded to 16 places and may hold anything but a zero byte, so it is
cut by its place: at most 15 bytes are a stranger's. A line that does not fit is passed over.

              dd-26538   [001] ..... 40464.989781: sys_fsync(fd: 1)
              dd-26538   [001] ..... 40464.989797: ext4_sync_file_enter: dev 254,0 ino 10035206 parent 2 datasync 0
        kworker/1:1H-58  [001] ..... 40464.990222: block_rq_issue: 254,0 FF 0 () 0 + 0 none,0,0 [kworker/1:1H]
          <idle>-0       [001] ..s1. 40464.990728: block_rq_complete: 254,0 FF () 18446744073709551615 + 0 none,0,0 [0]
              dd-26538   [001] ..... 40464.990741: sys_fsync -> 0x0

https://docs.kernel.org/trace/ftrace.html#output-format
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

_LINE: Final = re.compile(
    r"(.{0,16})-(\d{1,10}) +\[\d{3,5}\] \S{4,8} +(\d{1,12}\.\d{6}): ([a-z]\w{0,63})(?:: |(?=\(| ->))(.*)",
    re.ASCII | re.DOTALL,
)


class Event(Struct, frozen=True):
    """`at_s` is of the instance's clock. `said` begins with '(' where a system call begins, ' ->' where it ends."""

    at_s: float
    thread: int
    task: str
    name: str
    said: str


def event(line: str) -> Event | None:
    """One line; None where it is none of an event."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    task, thread, at_s, name, said = found.groups()
    return Event(float(at_s), int(thread), task.lstrip(" "), name, said)


def parse(text: str) -> tuple[Event, ...]:
    """All that can be read of a text; nothing where there is none."""
    return tuple(filter(None, map(event, text.split("\n"))))
