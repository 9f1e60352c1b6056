"""Shares of processors, disks and pressure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.port import Reply
from fsadvisor.measure.waits import window
from tests.waits.made import disk, moment, stalled, stat

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
