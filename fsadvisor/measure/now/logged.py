"""What the kernel's log told within the last hour, and since when what lasts is so.

Its own times are seconds since boot; these are the clock's.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Unknown
from fsadvisor.measure.now.model import Logged
from fsadvisor.readers import kernel_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from fsadvisor.measure.now.model import Device, Window

HOUR_S: Final = 3600
_LASTING: Final = ("began", "read-only")
"""Classes that tell since when something is so: they are kept however old they are."""


def recent(text: str, uptime_s: float, now: datetime) -> tuple[Logged, ...] | None:
    """What is of the last hour, or lasts; None where there is no log. `uptime_s` is the age of the log's clock."""
    read = kernel_log.parse(text)
    if isinstance(read, Unknown):
        return None

    def clock(at_s: float) -> str:
        return (now - timedelta(seconds=uptime_s - at_s)).isoformat(timespec="seconds")

    return tuple(
        Logged(
            pattern=event.pattern,
            kind=event.kind,
            says=event.says,
            device=event.device,
            count=event.count,
            first=clock(event.first),
            last=clock(event.last),
            doubtful=event.doubtful,
        )
        for event in read.events
        if event.kind in _LASTING or uptime_s - event.last <= HOUR_S
    )


def of_device(one: Device, window: Window, *kinds: str) -> Iterator[Logged]:
    """What was told of a device, by any of the names that the log has for it."""
    names = {one.name, *one.called}
    return (told for told in window.log or () if told.kind in kinds and told.device in names)


def of_filesystem(devices: Iterable[str], window: Window, *kinds: str) -> Iterator[Logged]:
    """What was told of a filesystem, by the names of its devices; jbd2 adds an inode."""
    names = frozenset(devices)
    for told in window.log or ():
        if told.kind in kinds and names & {told.device, told.device.rpartition("-")[0]}:
            yield told
