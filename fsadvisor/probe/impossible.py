"""Figures that cannot be what they seem: more durable commits than flushes or latencies allow, data that never came.

Seed 002 has 2.24 million fsyncs a second: files that nobody had written to since (erratum E39).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.probe.job import Io, Ladder
from fsadvisor.probe.series import at_once, writes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.probe.job import Job
    from fsadvisor.probe.series import Total

_SLACK: Final = 1.1
_FEWEST: Final = 20
"""Operations that must be there to speak of."""
_A_HALF: Final = 0.5


def impossible(
    job: Job, total: Total, latencies_ns: Mapping[int, int], sync_ns: Mapping[int, int], *, write_back: bool | None
) -> Iterator[str]:
    """Sentences; `write_back` says whether a disk below has a write cache that the kernel flushes, None: not known."""
    if total.operations < _FEWEST or total.seconds <= 0:
        return
    yield from _too_fast(job, total, latencies_ns, sync_ns)
    yield from _not_flushed(job, total, sync_ns, write_back)


def _too_fast(job: Job, total: Total, latencies_ns: Mapping[int, int], sync_ns: Mapping[int, int]) -> Iterator[str]:
    """No more operations in a row fit into a second than the fastest of them allows."""
    if not isinstance(job.work, Io):
        return
    fastest = min((at for at, count in (sync_ns or latencies_ns).items() if count > 0), default=0)
    rate = total.operations / total.seconds
    if fastest and rate * fastest / 1e9 > _SLACK * job.work.depth * job.work.streams:
        yield (
            f"Impossible: {rate:,.0f} operations/s, where the fastest took {fastest / 1000:,.1f} µs and"
            f" {job.work.depth * job.work.streams} were in flight."
        )


def _not_flushed(job: Job, total: Total, sync_ns: Mapping[int, int], write_back: bool | None) -> Iterator[str]:
    """Each fsync above a volatile cache ends in a flush (O_DSYNC writes may be forced through it instead)."""
    syncs = sum(count for count in sync_ns.values() if count > 0)
    calls = isinstance(job.work, Ladder) or (isinstance(job.work, Io) and job.work.sync in ("fsync", "fdatasync"))
    if not calls or total.disks is None or syncs < _FEWEST:
        return
    flushes, sent = total.disks.flushes, total.disks.sent_flushes
    if write_back is True and flushes is not None and flushes < _A_HALF * syncs:
        yield (
            f"Not durable: {syncs:,} syncs, but the disks, whose write cache is volatile, saw {flushes:,}"
            " flushes. Barriers are off, a layer between passes none on, or the files had nothing to sync."
        )
    elif write_back is True and sent is not None and sent < _A_HALF * syncs:
        yield (
            f"Not durable: {syncs:,} syncs, but the devices nearest to the filesystem saw {sent:,} flushes, above disks"
            " whose write cache is volatile. Barriers are off, or such a device is taken for write through."
        )
    elif total.disks.flush_us and flushes and flushes >= syncs and isinstance(job.work, Io):
        each_us = total.disks.flush_us / flushes
        rate = syncs / total.seconds
        if rate * each_us / 1e6 > _SLACK * job.work.depth * job.work.streams:
            yield (
                f"Impossible: {rate:,.0f} syncs/s, where the kernel counts {each_us:,.0f} µs for each of the disks'"
                " flushes."
            )


def not_written(job: Job, total: Total) -> Iterator[str]:
    """What is written past the page cache, or synced, reaches the disks: unless something makes it smaller."""
    if total.disks is None or not (writes(job.work) and at_once(job.work)) or total.asked_bytes <= 0:
        return
    if total.disks.written_bytes < _A_HALF * total.asked_bytes:
        share = 100 * total.disks.written_bytes / total.asked_bytes
        yield (
            f"Only {share:.0f} % of the bytes reached the disks below: they are compressed, left out as zeros, or kept"
            " in a cache above them."
        )
