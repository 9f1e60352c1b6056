"""Waits for an event, with an end so late that only what never comes misses it, on a slow and busy machine too."""

import contextlib
import os
import time
from pathlib import Path

END_S = 900


def comes_to(holds, within=END_S):
    """Whether something holds in the end, after so many seconds at the latest."""
    end = time.monotonic() + within
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def in_state(pid, state):
    """Whether a process comes to a state, such as D."""
    return comes_to(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == state)


def running(argument):
    """The processes that have it among their arguments, or in one of them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.fsencode(argument) in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found
