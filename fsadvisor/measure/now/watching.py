"""Windows of an incident: looks kept from a minute before a pressure passes its threshold to a minute after.

Cheap while nothing happens: one small file is read every ten seconds, and a short look is taken every half minute.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.pages.escape import encodable
from fsadvisor.readers import system_counters

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.measure.now.model import Window

MOST_BYTES: Final = 16 << 20
"""Kept in the directory; then the oldest go."""

_EVERY_S: Final = 10.0
_QUIET_EVERY_S: Final = 30.0
_QUIET_LOOK_S: Final = 1.0
_LOOK_S: Final = 5.0
_AROUND_S: Final = 60.0
_WHEN: Final = re.compile(r"\s*(io|cpu|memory)\s+pressure\s*>\s*([0-9]{1,3}(?:\.[0-9]+)?)\s*%?\s*")


class Threshold(Struct, frozen=True):
    """A pressure, and the percent above which an incident begins: of the kernel's mean over ten seconds."""

    what: str
    percent: float

    @property
    def file(self) -> str:
        """Where the kernel tells it."""
        return f"/proc/pressure/{self.what}"

    def passed(self, text: str | None) -> bool | None:
        """Whether this text of the file is above it; None where that can't be told."""
        read = None if text is None else system_counters.parse_pressure(text)
        if read is None or isinstance(read, Unknown) or read.some is None:
            return None
        mean = read.some.avg10_percent
        return None if mean is None else mean > self.percent


def threshold(text: str) -> Threshold | None:
    """'io pressure > 20 %'; None where it is none."""
    found = _WHEN.fullmatch(text)
    return Threshold(found[1], float(found[2])) if found and float(found[2]) <= 100 else None


class Watcher(Struct, kw_only=True):
    """What watching needs of the system. `sleep` tells whether to end."""

    clock: Callable[[], float]
    sleep: Callable[[float], bool]
    above: Callable[[], bool | None]
    look: Callable[[float], Window]
    keep: Callable[[Window], None]
    over: Callable[[], None] = lambda: None
    """An incident has ended."""

    def watch(self, seconds: float) -> int:
        """For so long, or until it is to end; returns how many incidents there were."""
        until, quiet_at, after_until, incidents = self.clock() + seconds, self.clock(), 0.0, 0
        before: deque[tuple[float, Window]] = deque()
        lasts = False
        while (now := self.clock()) < until:
            if self.above():
                incidents += not lasts
                after_until, lasts = now + _AROUND_S, True
            elif lasts and now >= after_until:
                lasts = False
                self.over()
            if now < after_until:
                while before:
                    self.keep(before.popleft()[1])
                self.keep(self.look(_LOOK_S))
            elif now >= quiet_at:
                before.append((now, self.look(_QUIET_LOOK_S)))
                quiet_at = now + _QUIET_EVERY_S
            while before and before[0][0] < now - _AROUND_S - _QUIET_EVERY_S:
                before.popleft()
            if self.sleep(_EVERY_S):
                break
        if lasts:
            self.over()
        return incidents


def as_line(window: Window) -> bytes:
    """As it is kept: names that are no UTF-8 are a stranger's, and made visible; figures have six digits.

    Sixteen digits would pass for a serial number, which a capture replaces.
    """
    return msgspec.json.encode(_short(encodable(msgspec.to_builtins(window)))) + b"\n"


def _short(value: Any) -> Any:  # noqa: ANN401 - whatever msgspec.to_builtins makes
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: _short(inside) for name, inside in value.items()}
    return [_short(inside) for inside in value] if isinstance(value, list) else value
