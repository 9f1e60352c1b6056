"""How long tools are still waited for, once some have hung: with all of them hung, a survey takes two time-outs."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Final

from msgspec import Struct, field

_OFTEN: Final = 2
"""A tool that hung so often, and more often than it answered, hangs for another reason than the device asked about."""
_MOST_LOST: Final = 1.7
"""Time-outs that may pass in waiting, where more tools hang than answer."""
_NO_TIME: Final = 0.1
"""Time-outs; less than that is no time for any tool."""


class Patience(Struct):
    """What the tools of one runner have done so far."""

    _hung: Counter[str] = field(default_factory=Counter)
    _answered: Counter[str] = field(default_factory=Counter)
    _lost_s: float = 0.0
    """How long at least one tool that hung was waited for."""
    _lost_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def seconds(self, tool: str, timeout_s: float) -> float:
        """How long to wait for a tool now; 0 where it is not to be run."""
        with self._lock:
            if self._hung[tool] >= _OFTEN and self._is_stuck(tool):
                return 0
            stuck = sum(map(self._is_stuck, self._hung))
            if stuck <= sum(not self._is_stuck(name) for name in self._answered):
                return timeout_s
            left = min(timeout_s, _MOST_LOST * timeout_s - self._lost_s)
            return left if left > _NO_TIME * timeout_s else 0

    def learn(self, tool: str, waited_s: float, *, hung: bool) -> None:
        """Keep in mind that a tool has just answered, or hung for so long."""
        now = time.monotonic()
        with self._lock:
            (self._hung if hung else self._answered)[tool] += 1
            if hung:
                self._lost_s += now - max(now - waited_s, self._lost_until)
                self._lost_until = now

    def _is_stuck(self, tool: str) -> bool:
        return self._hung[tool] > self._answered[tool]
