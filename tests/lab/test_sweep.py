"""Sweeps: dm-delay and null_blk under a filesystem in an image, and what a kill leaves."""

import contextlib
import random
import subprocess
import sys
from pathlib import Path

import pytest

from fsadvisor.measure import messages, sweep_session
from fsadvisor.measure.messages import LeftOut, Point
from fsadvisor.measure.sweep_worker import DEVICE_PREFIX
from tests.lab.scenario import run, unload, wait_for

pytestmark = pytest.mark.lab
KILLS = 8
STARTS = """
import sys
from fsadvisor.measure import messages, sweep_session
for one in sweep_session.swept(messages.work(sys.argv[1].encode())):
    print(one, flush=True)
"""


def request(folder, delays_ms, **more):
    given = {"filesystems": ("ext4",), "workloads": ("mail",), "passes": 1, "seconds": 3.0} | more
    return messages.SweepWork(
        folder=folder, base="image", size_bytes=160 << 20, delays_ms=delays_ms, threads=2, files=20, **given
    )


def left(folder):
    """What a sweep makes and must not leave."""
    mapped = [place.read_text().strip() for place in Path("/sys/block").glob("dm-*/dm/name")]
    found = [name for name in mapped if name.startswith(DEVICE_PREFIX)]
    found += [place.name for place in Path("/sys/kernel/config/nullb").glob(f"{DEVICE_PREFIX}*")]
    found += [place.parts[-3] for place in Path("/sys/block").glob("loop*/loop/backing_file")]
    return found + [entry.name for entry in Path(folder).iterdir() if entry.name != "lost+found"]


def place(scenario):
    (disk,) = scenario.attach("nvme")
    scenario.format("ext4", f"/dev/{disk}")
    run("modprobe", "loop", "max_loop=1")
    scenario.undo(unload, "loop")
    run("modprobe", "dm-delay")
    run("modprobe", "null_blk", "nr_devices=0")
    return scenario.mount(f"/dev/{disk}", "data")


def test_a_sweep_times_what_dm_delay_delays_and_leaves_nothing(scenario):
    """dm-delay over an image: the longest delay costs throughput, the device's counters tell the delay"""
    folder = place(scenario)
    told = list(sweep_session.swept(request(folder, (0.0, 40.0, 160.0), seconds=6.0)))

    points = [it for it in told if isinstance(it, Point)]
    assert [it for it in told if isinstance(it, LeftOut)] == []
    for it in points:
        scenario.tell(claim=f"{it.asked_ms:g} ms", seen=f"{it.device_ms:.1f} ms, {it.throughput:.1f} operations/s")
    assert [it.asked_ms for it in points] == [160, 40, 0]
    assert all(it.asked_ms <= it.device_ms for it in points), "a busy guest takes longer, never less"
    assert points[0].device_ms > points[1].device_ms > points[2].device_ms
    slowest, *others = (it.throughput for it in points)
    assert all(slowest < rate for rate in others), "where 40 ms are lost in what a busy guest takes, 160 are not"
    wait_for("the end of all that it made", lambda: not left(folder))


@pytest.mark.thorough
def test_a_latency_below_a_millisecond_comes_from_null_blk(scenario):
    """null_blk of a latency told in ns, under a filesystem made anew for it"""
    folder = place(scenario)
    told = list(sweep_session.swept(request(folder, (0.5, 40.0), seconds=2.0)))

    (short,) = [it for it in told if isinstance(it, Point) and it.asked_ms == 0.5]
    assert short.device_ms >= 0.5
    wait_for("the end of all that it made", lambda: not left(folder))


@pytest.mark.thorough
def test_a_sweep_that_is_killed_leaves_nothing_after_the_next_start(scenario):
    """SIGKILL at random moments: what the kernel did not clear up by itself, the next start did"""
    folder = place(scenario)
    dice = random.Random(7)
    cleared = []
    for _ in range(KILLS):
        words = messages.line(request(folder, (0.5, 20.0), seconds=1.0)).decode()
        child = subprocess.Popen([sys.executable, "-c", STARTS, words], stdout=subprocess.PIPE)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(dice.uniform(1, 25))
        child.kill()
        child.communicate()
        wait_for("its loops gone", lambda: not list(Path("/sys/block").glob("loop*/loop/backing_file")), 60)
        cleared += sweep_session.cleared(Path(folder))
        wait_for("all gone", lambda: not left(folder), 60)
    scenario.tell(claim=f"{KILLS} kills", seen=f"nothing left; {len(cleared)} things were cleared by the next start")
