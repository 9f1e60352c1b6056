"""The measuring process without devices: how long windows are, what is told of them, and when it stops."""

import contextlib

import pytest
from msgspec.structs import replace

from fsadvisor.measure import sweep_worker
from fsadvisor.measure.messages import LeftOut, Point
from fsadvisor.measure.probe import EngineError, ProbeWindow
from fsadvisor.measure.probe.processes import Stop, Stopped
from tests.cases import each
from tests.measure.test_sweep_session import request

NO_DISK = "no-such-disk"


class Played:
    """A session that does so many operations a second, and remembers how long its windows were to be."""

    engine = "played"

    def __init__(self, rate):
        self.rate, self.asked_for = rate, []

    def window(self, seconds):
        self.asked_for.append(seconds)
        return ProbeWindow(seconds=seconds, operations=round(self.rate * seconds), asked_bytes=0)


def sweep(**more):
    told = []
    stop = Stop()
    made = sweep_worker._Sweep(request(**more), None, told.append, stop)
    return made, told, stop


def windows(made, session, delays=(10.0, 5.0, 0.0)):
    for run in (0, 1):
        for delay in delays:
            made._window("ext4", "mail", delay, session, NO_DISK, run)


def test_windows_are_longest_at_the_longest_delay_and_never_shorter_than_a_tenth():
    made, _, _ = sweep(seconds=2.0)
    session = Played(1000)
    windows(made, session)
    assert session.asked_for[:3] == [2.0, pytest.approx(2 * 6 / 11), pytest.approx(0.2)]


def test_a_window_ends_where_enough_operations_take_less():
    made, told, _ = sweep(seconds=2.0, most_operations=50)
    session = Played(1000)
    windows(made, session)
    assert session.asked_for[1:] == [pytest.approx(0.05)] * 5
    assert {it.operations for it in told[1:]} == {50}


def test_stretched_times_are_told_as_they_were_without():
    made, told, _ = sweep(seconds=2.0, stretch=16)
    session = Played(100)
    windows(made, session)
    assert session.asked_for[0] == 32.0
    assert told[0].seconds == 2.0
    assert told[0].throughput == pytest.approx(1600)


def test_without_counters_the_device_s_latency_is_not_known():
    made, told, _ = sweep()
    windows(made, Played(100))
    assert isinstance(told[0], Point)
    assert (told[0].device_ms, told[0].requests) == (None, 0)


def test_told_to_stop_it_ends_before_the_next_window():
    made, told, stop = sweep()
    session = Played(100)
    stop.signal = 15
    with pytest.raises(Stopped):
        windows(made, session)
    assert (told, session.asked_for) == ([], [])


def test_a_workload_that_does_nothing_or_fails_is_told_and_is_not_the_end():
    made, told, _ = sweep()
    with made._failing("xfs", "web"):
        made._window("xfs", "web", 5.0, Played(0), NO_DISK, 0)
    with made._failing("xfs", ""):
        raise EngineError("there is no room")
    assert [(it.job, it.why) for it in told if isinstance(it, LeftOut)] == [
        ("web", "not one operation was done at 5 ms"),
        ("", "there is no room"),
    ]


class Writing(Played):
    """A session that reads and writes a GiB a window, on a disk of any delay."""

    name = NO_DISK

    def window(self, seconds):
        return replace(super().window(seconds), asked_bytes=1 << 30)

    def set(self, milliseconds):
        pass


class Opened(sweep_worker._Sweep):
    """Its session is made already."""

    @contextlib.contextmanager
    def _session(self, *_):
        yield Writing(1000)


@pytest.mark.parametrize(("base", "points", "failed"), [("image", 8, 1), ("memory", 33, 0)])
def test_no_window_is_begun_that_would_write_more_to_a_disk_than_was_told(base, points, failed):
    told = []
    made = Opened(
        request(base=base, passes=3, delays_ms=tuple(map(float, range(11)))),
        None,
        told.append,
        Stop(),
    )
    with made._failing("ext4", "mail"):
        made._workload("ext4", "mail", None, Writing(1000))
    assert [sum(isinstance(it, kind) for it in told) for kind in (Point, LeftOut)] == [points, failed]


@each(("milliseconds", "short"), [(0, False), (0.5, True), (1, False), (1.5, True), (10, False)])
def test_dm_delay_takes_whole_milliseconds(milliseconds, short):
    assert sweep_worker._is_short(milliseconds) is short
