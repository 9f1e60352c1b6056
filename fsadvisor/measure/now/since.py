"""Since when a cause holds, where the kernel or kept windows tell; else it is the whole look, or longer."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.now.facts import named
from fsadvisor.measure.now.mounts import devices_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.now import Logged, Program, Window
    from fsadvisor.rulebook.advise import Verdict


Since = tuple[str, str]
"""A time, UTC, and what tells it; '' where nothing does."""

_UNKNOWN: Final = ("", "")
_LOG: Final = "by the kernel's log"
_KINDS: Final = {
    "device-errors-logged": ("io",),
    "device-resets-logged": ("link",),
    "filesystem-damage-logged": ("filesystem",),
    "array-at-work": ("began",),
    "btrfs-at-work": ("began",),
    "filesystem-turned-read-only": ("read-only",),
    "device-slow": ("link", "io"),
    "device-offline": ("io",),
}
"""What the log tells of the beginning of each."""

_STANDS: Final = frozenset(
    (
        *("device-silent", "device-suspended", "thin-pool-stopped", "paths-gone", "pool-suspended"),
        *("filesystem-frozen", "filesystem-does-not-answer", "program-stuck"),
    )
)
"""Causes in which nothing goes on: it began no later than when a thread that is stuck in it last ran."""


def since(verdict: Verdict, reach: frozenset[str], window: Window) -> Since:
    """Of a cause that reaches so many devices and mount points."""
    if verdict.rule.id in _STANDS:
        return _last_ran(verdict.subject.name, reach, window)
    kinds = _KINDS.get(verdict.rule.id, ())
    lines = [line for line in _logged(verdict.subject.name, reach, window, kinds) if not line.doubtful]
    if not lines:
        return _turned(verdict, window)
    lasts = kinds == ("began",)
    return (max(line.last for line in lines) if lasts else min(line.first for line in lines)), _LOG


def _logged(name: str, reach: frozenset[str], window: Window, kinds: tuple[str, ...]) -> Iterator[Logged]:
    device = next((one for one in window.devices if one.name == name), None)
    if device is not None:
        return window.log_of_device(device, *kinds)
    place = next((one for one in window.filesystems if one.mount_point == name), None)
    return window.log_of_filesystem(reach | place.names if place else reach, *kinds)


def _turned(verdict: Verdict, window: Window) -> Since:
    if verdict.rule.id != "filesystem-turned-read-only":
        return _UNKNOWN
    at = next((place.turned_at for place in window.filesystems if place.mount_point == verdict.subject.name), "")
    return (at, _LOG) if at else _UNKNOWN


def _last_ran(name: str, reach: frozenset[str], window: Window) -> Since:
    stuck = [one for one in window.programs if one.stuck_s is not None and _is_in(one, name, reach, window)]
    if not stuck:
        return _UNKNOWN
    longest = max(stuck, key=lambda one: one.stuck_s or 0.0)
    began = datetime.fromisoformat(window.when) - timedelta(seconds=longest.stuck_s or 0.0)
    return began.isoformat(timespec="seconds"), f"when {named(longest)} last ran"


def _is_in(program: Program, name: str, reach: frozenset[str], window: Window) -> bool:
    raw = (device for place in program.places if place.startswith("/dev/") for device in devices_of(place, window))
    return named(program) == name or bool({*program.places, *program.frozen_at, *raw} & reach)
