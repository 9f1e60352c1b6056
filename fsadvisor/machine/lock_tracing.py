"""Which locks of the kernel are waited for, by perf: its tracepoints are on only while it runs.

perf writes what it saw into memory of ours that has no name, 64 MiB at most, so that nothing is left, whatever ends us.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.machine.runner import Runner

if TYPE_CHECKING:
    from fsadvisor.machine.port import Answer

_PATIENCE_S: Final = 30.0
_SAID: Final = 160
_TOOL: Final = "perf lock contention"


class LockTrace:
    """Traces all processors for `seconds` from `start` on; `answer` waits for the end and tells, once."""

    def __init__(self, seconds: float, runner: Runner | None = None) -> None:
        """`runner` runs perf, where that is not to be one of the system's tools."""
        self.seconds = seconds
        self._runner = runner or Runner(timeout_s=seconds + _PATIENCE_S)
        self._recorded: Answer | None = None
        self._thread = threading.Thread(target=self._record, daemon=True)
        self._memory = os.memfd_create("fsadvisor-locks", os.MFD_CLOEXEC)
        self._path = f"/proc/{os.getpid()}/fd/{self._memory}"

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def _record(self) -> None:
        slept = ("sleep", f"{self.seconds:g}")
        argv = ("perf", "lock", "record", "-o", self._path, "--max-size=64M", "-a", "--", *slept)
        (self._recorded,) = self._runner.run([argv])

    def answer(self) -> Answer:
        """What `perf lock contention` makes of it."""
        self._thread.join(self.seconds + 2 * _PATIENCE_S)
        recorded = self._recorded
        try:
            if recorded is None:
                return Unknown(Cause.TIMED_OUT, "try `perf lock record -a sleep 1` by itself", _TOOL)
            if isinstance(recorded, Unknown):
                return recorded
            if recorded.status:
                said = " ".join(recorded.text.split())[:_SAID]
                learn = f"run as root on Linux 5.19 or later, with the perf of this kernel; it said: {said}"
                return Unknown(Cause.NOT_EXPOSED, learn, _TOOL)
            if "size limit reached" in recorded.text:
                return Unknown(Cause.NOT_MEASURED, "watch for fewer seconds: there were too many events", _TOOL)
            (read,) = self._runner.run([("perf", "lock", "contention", "-f", "-i", self._path)])
            return Reply(read.text, _TOOL, read.status) if isinstance(read, Reply) else read
        finally:
            os.close(self._memory)
