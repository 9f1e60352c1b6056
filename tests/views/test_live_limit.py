"""The one line of Live about where the time goes."""

import pytest
from msgspec.structs import replace

from fsadvisor.facts import Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.measure.waits.rates import RateHistory
from fsadvisor.pages.glyphs import columns, plain
from fsadvisor.tui.views.live_limit import limit, window
from tests.waits.made import NOT_KNOWN, disk, meminfo, moment, stat


def course(seconds, disks, cpu, **more):
    """A moment each second: `disks` and `cpu` make the files of the second."""
    found = RateHistory()
    for at in range(seconds):
        found.add(moment(float(at), disks(at), cpu(at), **{name: make(at) for name, make in more.items()}).pulse)
    return list(found.moments)


def calm(at):
    return stat(at * 20, at * 180)


def test_a_processor_at_its_limit_is_told():
    moments = course(12, lambda _: disk(), lambda at: stat(at * 195, at * 5))
    assert "The processor is the limit" in plain(limit(moments, 80))


def test_flushes_are_told_with_the_disk_and_their_share():
    moments = course(12, lambda at: disk(flushes=at * 90, flush_ms=at * 700), calm, io_us=lambda at: at * 900_000)
    assert "Flushes are the limit (vda, 70 % of the time)" in plain(limit(moments, 80))


def test_only_the_last_ten_seconds_count():
    moments = course(30, lambda _: disk(), lambda at: stat(min(at, 15) * 199, max(at - 15, 0) * 200))
    assert "processors 0 %, busiest disk vda 0 %, neither is at its limit" in plain(limit(moments, 80))


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_long_sentence_is_cut_at_its_reason(width):
    busy = course(12, lambda at: disk("nvme0n1", at, at, at * 990, at * 990), calm, io_us=lambda at: at * 900_000)
    told = limit(busy, width)
    assert "The disk's latency is the limit" in plain(told)
    assert ("hardly ever" in plain(told)) == (width >= 200)
    assert width < 80 or columns(told) < width


def test_what_is_not_known_is_said_to_be_so():
    moments = course(12, lambda _: disk(), calm)
    dark = [replace(one, processors=NOT_KNOWN, disks=None, unread=NOT_KNOWN) for one in moments]
    assert "processors not known, busiest disk not known" in plain(limit(dark, 80))


def test_a_disk_that_came_meanwhile_leaves_the_busiest_unknown():
    moments = course(12, lambda at: disk() + (disk("sdb", number=16) if at > 8 else ""), calm)
    assert window(moments[1:]).disks.value.untold == ("sdb",)
    assert "disk not known" in plain(limit(moments, 80))


def test_the_span_that_is_told_is_the_one_that_was_watched():
    moments = course(4, lambda _: disk(), lambda at: stat(at * 195, at * 5))
    assert "The processor is the limit, in the last 3 s" in plain(limit(moments, 120))


def test_a_pause_counts_for_as_long_as_it_took():
    found = RateHistory()
    for at in (*range(10), 19):
        found.add(moment(float(at), disk(busy_ms=min(at, 9) * 1000, queue_ms=min(at, 9) * 1000), calm(at)).pulse)
    (told,) = window(list(found.moments)).disks.value.each
    assert told.rates.busy == pytest.approx(9 / 19)
    assert told.rates.queue == pytest.approx(9 / 19)


def test_flushes_whose_time_began_anew_are_not_said_to_take_none():
    spent = (100, 900, 1700, 0, 800, 1600)
    moments = course(6, lambda at: disk(flushes=at * 90, flush_ms=spent[at]), calm, io_us=lambda at: at * 900_000)
    (told,) = window(moments).disks.value.each
    assert isinstance(told.flush, Unknown)
    assert "disk not known" in plain(limit(moments, 80))


def test_the_first_seconds_say_nothing():
    assert "a few moments" in plain(limit(course(2, lambda _: disk(), calm), 80))


def test_a_kernel_without_pressure_leaves_only_that_unknown():
    found = RateHistory()
    for at in range(5):
        found.add(moment(float(at), disk(), calm(at), pressure=NOT_KNOWN, stat=Reply(calm(at), "/proc/stat")).pulse)
    told = window(list(found.moments))
    assert isinstance(told.pressure["io"].some, Unknown)
    assert not isinstance(told.cpu, Unknown)


def test_memory_is_short_only_where_little_is_left():
    def told(free, available):
        left = Reply(meminfo(free, available), "/proc/meminfo")
        stalls = {"memory_us": lambda at: at * 500_000, "memory": lambda _: left}
        return plain(limit(course(12, lambda _: disk(), calm, **stalls), 80))

    assert "Memory is short" in told(3, 5)
    assert "Memory is short" not in told(60, 80) + told(3, 80)
