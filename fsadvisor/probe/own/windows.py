"""Windows of our own engine: what its workers answered, with what the disks did meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.probe.disks import between
from fsadvisor.probe.histogram import merged
from fsadvisor.probe.window import Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.probe.disks import Counted
    from fsadvisor.probe.own.crew import Answer


def window(
    answers: Sequence[Answer], before: Counted | None, after: Counted | None, extents: int | None = None
) -> Window:
    """The timed orders of one window, joined; what was done between them is not in their times.

    `before` and `after` are the disks' counters around all of it.
    """
    return Window(
        seconds=sum(answer.seconds for answer in answers),
        operations=sum(answer.operations for answer in answers),
        asked_bytes=sum(answer.bytes for answer in answers),
        latencies_ns=merged([answer.latency_ns for answer in answers]),
        sync_ns=merged([answer.sync_ns for answer in answers]),
        user_cpu_seconds=sum(answer.user_cpu_seconds for answer in answers),
        system_cpu_seconds=sum(answer.system_cpu_seconds for answer in answers),
        disks=between(before, after),
        extents=extents,
    )
