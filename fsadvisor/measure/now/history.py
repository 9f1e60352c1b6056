"""What sysstat, atop or PCP kept, as windows: disks, processors, pressure and swapping, no programs and no mounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.now.model import Device, Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.readers.activity_logs import Disk, Interval

_PAGE: Final = 4096
"""Of the machine that wrote the file: not told there, so that of x86 and most of ARM."""


def windows(intervals: Sequence[Interval], by: str) -> list[Window]:
    """One for each interval, as long as that was; `by` is who kept them."""
    return [
        _window(one, f"programs, mounts, flushes and limits: none are read of what {by} keeps") for one in intervals
    ]


def _window(one: Interval, untold: str) -> Window:
    idle = None if one.idle_percent is None else one.idle_percent + (one.iowait_percent or 0.0)
    return Window(
        when=one.when,
        seconds=one.seconds,
        processor=None if idle is None else max(0.0, 1 - idle / 100),
        steal=_share(one.steal_percent),
        cpu_some=_share(one.cpu_some),
        io_some=_share(one.io_some),
        io_full=_share(one.io_full),
        memory_some=_share(one.memory_some),
        memory_full=_share(one.memory_full),
        swap_bytes=None if one.swapped_pages is None else one.swapped_pages * _PAGE,
        dirty=None if one.dirty_kib is None else int(one.dirty_kib * 1024),
        devices=tuple(_device(disk) for disk in one.disks if disk.requests or disk.busy_percent),
        untold=(untold,),
    )


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _device(one: Disk) -> Device:
    return Device(
        name=one.name,
        requests=one.requests,
        request_ms=one.ms if one.requests else None,
        read_bytes=one.read_kib * 1024,
        write_bytes=one.written_kib * 1024,
        busy=one.busy_percent / 100,
        queue=one.queue,
        in_flight=round(one.queue),
    )
