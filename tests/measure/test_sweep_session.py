"""A sweep before it starts, and what is made of what it tells; the devices themselves are tried in the lab."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.measure import messages, sweep_session, sweep_worker
from fsadvisor.measure.messages import LeftOut, Point, Started, SweepWork
from fsadvisor.measure.sweep_session import Planned, SweepError
from tests.cases import each


def request(**more):
    given_ones = {
        "folder": "/srv",
        "base": "image",
        "size_bytes": 1 << 30,
        "filesystems": ("ext4", "xfs"),
        "workloads": ("mail",),
        "delays_ms": (0.0, 5.0, 10.0),
    }
    return SweepWork(**(given_ones | more))


def point(asked_ms=5.0, device_ms=5.1):
    return Point(
        filesystem="ext4",
        workload="mail",
        asked_ms=asked_ms,
        device_ms=device_ms,
        requests=100,
        operations=10,
        seconds=1.0,
        throughput=10.0,
        cpu_share=0.1,
        run=0,
    )


@each(
    "told",
    [
        point(),
        point(device_ms=None),
        LeftOut(side="xfs", why="no room"),
        Started(at=1, side="xfs", job="web"),
    ],
)
def test_what_is_told_is_heard(told):
    assert messages.event(messages.line(told)) == told


def test_what_is_asked_is_heard():
    assert messages.work(messages.line(request())) == request()


@given(st.integers(1, 20), st.floats(0.1, 60), st.lists(st.floats(0, 100), min_size=2, max_size=20, unique=True))
def test_more_passes_and_longer_windows_take_longer(passes, seconds, delays):
    one = Planned(asked=request(passes=passes, seconds=seconds, delays_ms=tuple(delays)), left_out=())
    more = Planned(asked=request(passes=passes + 1, seconds=seconds, delays_ms=tuple(delays)), left_out=())
    longer = Planned(asked=request(passes=passes, seconds=2 * seconds, delays_ms=tuple(delays)), left_out=())
    assert more.seconds > one.seconds < longer.seconds


def test_it_says_how_long_it_takes_how_much_room_and_what_is_left_out():
    said = " ".join(Planned(asked=request(delays_ms=(0.5, 5.0)), left_out=("left out: nilfs2, because …",)).words())
    assert "about 1 minutes" in said
    assert "in /srv" in said
    assert "of memory" in said
    assert "left out: nilfs2" in said


def test_a_device_that_was_slower_than_asked_is_told():
    (said,) = sweep_session.remarks([point(1.0, 3.9), point(5.0, 5.1)])
    assert "at 1 ms" in said


def test_what_failed_and_what_could_not_be_timed_is_told():
    said = sweep_session.remarks([LeftOut(side="xfs", job="web", why="there is no room"), point(device_ms=None)])
    assert "xfs under web failed: there is no room" in said
    assert any("too few requests to time" in it for it in said)


def test_our_devices_tell_their_owner():
    assert sweep_worker.own_label().startswith(sweep_worker.DEVICE_PREFIX)
    assert f"-{os.getpid()}-" in sweep_worker.own_label()


@pytest.mark.skipif(os.geteuid() != 0, reason="as an ordinary user it is refused before")
def test_a_kernel_without_dm_delay_is_said_to_have_none():
    if not sweep_worker.delay_missing():
        pytest.skip("this kernel has dm-delay")
    with pytest.raises(SweepError, match="no device's latency can be set"):
        sweep_session.planned(Path("/var/tmp"), filesystems=None, workloads=None, delays_ms=None, passes=1, seconds=1.0)
