"""Shares of processors, disks and pressure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.measure.waits import window
from fsadvisor.survey import read_fact
from tests.cases import each
from tests.waits.made import disk, meminfo, moment, stalled, stat

TICKS = st.lists(st.integers(0, 1 << 40), min_size=8, max_size=8)


def reply(text):
    return Reply(text, "/proc/stat")


def cpu(before, after):
    return window.cpu(reply(before), reply(after))


def test_the_shares_are_of_all_processors():
    found = cpu(stat(100, 100), stat(300, 700, 200)).value
    assert (found.user, found.system, found.busy) == (0.1, 0.1, 0.2)
    assert (found.iowait, found.idle) == (Known(0.2, "/proc/stat"), Known(0.6, "/proc/stat"))


@given(before=TICKS, more=TICKS)
def test_shares_are_one_together_whatever_was_counted(before, more):
    now = [a + b for a, b in zip(before, more, strict=True)]
    line = "cpu  {} {} {} {} {} {} {} {} 0 0\ncpu0 0\n"
    found = cpu(line.format(*before), line.format(*now))
    if sum(more):
        one = found.value
        parts = (one.user, one.system, one.interrupts, one.steal, one.iowait.value, one.idle.value)
        assert sum(parts) == pytest.approx(1.0)
        assert all(0 <= part <= 1 for part in parts)
    else:
        assert isinstance(found, Unknown)


def test_iowait_that_goes_backwards_is_not_known_and_not_zero():
    found = cpu(stat(0, 100, 500), stat(100, 700, 400)).value
    assert isinstance(found.iowait, Unknown)
    assert isinstance(found.idle, Unknown)
    assert found.busy == pytest.approx(1 / 6)


def test_processors_that_came_meanwhile_leave_the_shares_unknown():
    assert isinstance(cpu(stat(0, 0), stat(100, 100, processors=4)), Unknown)


def test_pressure_is_that_of_the_window_and_not_the_kernels_averages():
    found = window.stalls(Reply(stalled(1_000_000), "p"), Reply(stalled(3_000_000), "p"), 4.0)
    assert (found.some, found.full) == (Known(0.5, "p"), Known(0.25, "p"))


def test_a_kernel_without_pressure_leaves_it_unknown():
    absent = Unknown(Cause.NOT_EXPOSED, "", "/proc/pressure/io")
    assert window.stalls(absent, absent, 4.0).some == absent


def test_flushes_under_way_are_told_beside_the_busy_time_that_leaves_them_out():
    (found,) = window.disks(
        moment(0.0, disk()).pulse, moment(2.0, disk(busy_ms=1000, flushes=10, flush_ms=1200)).pulse
    ).value.each
    assert found.rates.busy == 0.5
    assert found.flush == Known(0.6, "/proc/diskstats")
    assert found.busy_most == Known(1.0, "/proc/diskstats")


def test_only_the_disks_that_are_asked_for_are_told_and_a_missing_one_is_named():
    before = moment(0.0, disk("vda") + disk("vdb", number=16)).pulse
    after = moment(2.0, disk("vda") + disk("vdb", number=16)).pulse
    found = window.disks(before, after, frozenset({"vda", "sdz"})).value
    assert [one.name for one in found.each] == ["vda"]
    assert found.untold == ("sdz",)


@each(
    ("before", "after", "lacks"),
    [
        (meminfo(free=60), meminfo(free=60), 0.0),
        (meminfo(free=3, available=5), meminfo(free=3, available=5), 0.5),
        # what took the memory may have ended meanwhile, and whose groups wait `waits` does not ask
        (meminfo(free=3), meminfo(free=60), None),
        (meminfo(free=60), meminfo(free=3), None),
        ("MemTotal: 100 kB\n", meminfo(free=60), None),
        (meminfo(), "MemTotal: 100 kB\n", 0.5),
    ],
)
def test_memory_pressure_alone_is_no_want_of_memory(before, after, lacks):
    texts = (Reply(before, "m"), Reply(after, "m"))
    moments = [moment(at, memory_us=at * 500_000, memory=text) for at, text in zip((0, 10), texts, strict=True)]
    found = window.window(*moments, ())
    assert found.pressure["memory"].some.value == 0.5
    assert read_fact.value(found.memory_lacking) == lacks
