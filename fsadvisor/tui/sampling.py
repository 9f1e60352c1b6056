"""The threads of Live: one asks the system's counters each second, one the processes, and where those wait."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from fsadvisor.machine.pulse import Processes, pulse
from fsadvisor.tui.beat import Beat
from fsadvisor.views.live import Seen
from fsadvisor.views.live_limit import Writers, Writing
from fsadvisor.waits.rates import Course

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOKS_EACH: Final = 10
"""How often it is looked where threads wait, for each time that the processes are asked what they wrote."""

_SHARE: Final = 0.015
"""Of a processor, for each thread at most: where there are many processes, they are asked less often."""

_SILENT_S: Final = 3.0
_SHORT_PAUSE_S: Final = 10.0


class Sampling:
    """`told` is called, on the sampling thread, after each sample; `failed` where it raised, which is our bug.

    `second` is how many seconds are between two samples.
    """

    def __init__(self, told: Callable[[], object], failed: Callable[[Exception], object], second: float = 1.0) -> None:
        self._told = told
        self._lock = threading.Lock()
        self._course = Course()
        self._processes, self._writers = Processes(), Writers()
        self._looks = 0
        self._writing = Writing()
        self._system = Beat(self._sample, second, _SHARE, failed)
        self._asking = Beat(self._ask, second / _LOOKS_EACH, _SHARE, failed)
        self._paused_at_s = time.monotonic()
        self._anew = False
        self.paused = True

    def go(self) -> None:
        """Sample. After a short pause the minute goes on; after a longer one it begins anew."""
        if not self.paused:
            return
        self.paused = False
        if time.monotonic() - self._paused_at_s > _SHORT_PAUSE_S:
            with self._lock:
                self._course, self._writing, self._anew = Course(), Writing(), True
        self._system.go()
        self._asking.go()

    def pause(self) -> None:
        """Stop, and keep what was seen."""
        if not self.paused:
            self.paused = True
            self._paused_at_s = time.monotonic()
            self._system.pause()
            self._asking.pause()

    def seen(self) -> Seen:
        """As of now."""
        silent_s = max(self._system.silent_s, self._asking.silent_s)
        with self._lock:
            return Seen(
                moments=tuple(self._course.moments),
                writing=self._writing,
                paused=self.paused,
                silent_s=silent_s if silent_s >= _SILENT_S else 0.0,
            )

    def _sample(self) -> None:
        taken = pulse()
        with self._lock:
            self._course.add(taken)
        self._told()

    def _ask(self) -> None:
        if self._anew:
            self._anew = False
            self._processes, self._writers, self._looks = Processes(), Writers(), 0
        if self._looks % _LOOKS_EACH == 0:
            self._writers.add(self._processes.pulse())
            writing = self._writers.writing()
            with self._lock:
                self._writing = writing
        self._looks += 1
        self._writers.look(self._processes.stacks())
