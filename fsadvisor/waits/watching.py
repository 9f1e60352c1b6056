"""Watches a machine: a moment before, many looks at the threads, a moment after."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fsadvisor.machine import waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.machine.waiting import Look, Moment

EVERY_S: Final = 0.05
SHARE: Final = 0.05
"""Of a processor, for looks at most: where there are many threads, they are looked at less often."""


@dataclass(slots=True, kw_only=True)
class Watch:
    """What was seen. `take` and `see` ask the machine."""

    take: Callable[[], Moment] = waiting.moment
    see: Callable[[], Look] = waiting.look
    before: Moment | None = None
    after: Moment | None = None
    looks: list[Look] = field(default_factory=list)

    def begin(self) -> None:
        """The window begins now; what was seen before is forgotten."""
        self.before, self.after, self.looks = self.take(), None, []

    def end(self) -> None:
        """The window ends now, unless it is told to end again, later."""
        self.after = self.take()

    def look(self) -> float:
        """Look at the threads; tells for how long to wait before the next, in seconds."""
        began_s = time.thread_time()
        seen = self.see()
        if self.before is not None:
            self.looks.append(seen)
        return max((time.thread_time() - began_s) / SHARE, EVERY_S)

    def inside(self) -> tuple[Look, ...]:
        """The looks between both moments."""
        if self.before is None or self.after is None:
            return ()
        begin_s, end_s = self.before.pulse.at_s, self.after.pulse.at_s
        return tuple(one for one in self.looks if begin_s <= one.at_s <= end_s)


def watch(seen: Watch, seconds: float, pause: Callable[[float], object]) -> None:
    """Watch for so many seconds. `pause` waits, and may raise to break it off: then `seen` has no end yet."""
    seen.begin()
    end_s = time.monotonic() + seconds
    while (left_s := end_s - time.monotonic()) > 0:
        pause(min(seen.look(), left_s))
    seen.end()
