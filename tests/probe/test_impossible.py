"""Figures that cannot be what they seem are called so, and possible ones are not."""

import pytest
from msgspec import structs

from fsadvisor.measure.probe.jobs import Io
from fsadvisor.measure.probe.series import impossible, not_written, total
from tests.probe.played import COMMIT, READ, counted, synced, with_disks


def said(job, window, write_back=None):
    return list(impossible(job, total([window]), window.latencies_ns, window.sync_ns, write_back=write_back))


def with_work(job, **changes):
    return structs.replace(job, work=structs.replace(job.work, **changes))


@pytest.mark.parametrize("write_back", [True, False, None])
def test_commits_with_their_flushes_are_possible(write_back):
    assert said(COMMIT, synced(1000), write_back) == []


def test_2_24_million_syncs_a_second_of_clean_files_are_called_not_durable():
    window = synced(0.446, operations=2_240_000, flushes=0, wrote=1)

    (remark,) = said(COMMIT, window, write_back=True)
    assert remark.startswith(
        "Not durable: 2,240,000 syncs, but the disks, whose write cache is volatile, saw 0 flushes."
    )


def test_flushes_of_others_on_the_disk_below_do_not_make_a_sync_durable():
    """A loop device that is taken for write through drops all flushes; the disk below is flushed by others."""
    (remark,) = said(COMMIT, with_disks(synced(1000), sent_flushes=0), write_back=True)
    assert remark.startswith("Not durable: 400 syncs, but the devices nearest to the filesystem saw 0 flushes")
    assert said(COMMIT, with_disks(synced(1000), sent_flushes=None), write_back=True) == []
    assert said(COMMIT, with_disks(synced(1000), sent_flushes=0), write_back=False) == []


def test_a_disk_that_counts_no_flushes_is_not_called_one_that_was_sent_none():
    silent = with_disks(synced(1000), flushes=None, flush_us=None, sent_flushes=None)
    assert said(COMMIT, silent, write_back=True) == []


def test_no_flushes_are_right_where_no_cache_is_volatile_and_open_where_that_is_not_known():
    assert said(COMMIT, synced(100, flushes=0), write_back=False) == []
    assert said(COMMIT, synced(100, flushes=0), write_back=None) == []


def test_writes_with_o_dsync_may_be_forced_through_the_cache_without_a_flush():
    assert said(with_work(COMMIT, sync="dsync"), synced(100, flushes=0), write_back=True) == []


def test_more_syncs_than_the_time_of_their_flushes_allows_are_impossible():
    (remark,) = said(COMMIT, with_disks(synced(100), flush_us=800 * 500.0))

    assert remark == "Impossible: 10,000 syncs/s, where the kernel counts 500 µs for each of the disks' flushes."


def test_more_operations_than_the_fastest_latency_allows_are_impossible():
    window = counted(100_000, latencies_ns={50_000: 50_000})

    assert said(READ, window) == [
        "Impossible: 100,000 operations/s, where the fastest took 50.0 µs and 1 were in flight.",
    ]
    assert said(with_work(READ, depth=8), window) == []
    assert said(with_work(READ, streams=8), window) == []


def test_bytes_that_never_reached_the_disks_are_told():
    (remark,) = not_written(COMMIT, total([synced(1000, wrote=0.25)]))

    assert remark.startswith("Only 25 % of the bytes reached the disks below")


def test_a_buffered_write_that_nobody_syncs_may_come_later():
    assert list(not_written(with_work(COMMIT, direct=False, sync="none"), total([synced(1000, wrote=0.1)]))) == []


def test_of_a_handful_of_operations_nothing_is_said():
    assert said(COMMIT, synced(1, operations=5, flushes=0, wrote=0), write_back=True) == []


def test_the_law_is_about_files_only():
    assert isinstance(COMMIT.work, Io)
    assert said(COMMIT, synced(1000, disks=None), write_back=True) == []
