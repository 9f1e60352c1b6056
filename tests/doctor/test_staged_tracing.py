"""`doctor --trace` on the kernel that runs here: what it tells of a loop device, and that nothing is left of it."""

import contextlib
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest

from fsadvisor.measure.now.observe import observe
from fsadvisor.measure.now.traced import traced
from tests.doctor.staging import FSYNCS, program
from tests.loops import loops, needs_loop_devices, run
from tests.waiting import comes_to

INSTANCES = Path("/sys/kernel/tracing/instances")

pytestmark = [pytest.mark.long, pytest.mark.namespaces, needs_loop_devices, pytest.mark.usefixtures("tracefs")]

LOOK = [sys.executable, "-m", "fsadvisor", "doctor", "--trace", "--seconds", "600"]


@pytest.fixture(scope="module")
def tracefs():
    """Mounted where it is not, and left so, as most machines have it from their start: other workers use it, too."""
    if not INSTANCES.is_dir():
        subprocess.run(["mount", "-t", "tracefs", "none", INSTANCES.parent], capture_output=True, check=False)
    if not os.access(INSTANCES, os.W_OK):
        pytest.skip("needs tracefs, and root")


def instances(pid):
    return list(INSTANCES.glob(f"fsadvisor-{pid}"))


def traces(pid):
    try:
        return any((one / "events/enable").read_text() != "0\n" for one in instances(pid))
    except OSError:  # it is being made
        return False


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_who_syncs_which_file_is_told_with_where_the_time_went(tmp_path, kind):
    with loops(tmp_path) as disks:
        device = disks.device("traced", 320)
        run(f"mkfs.{kind}", "-q", device)
        place = disks.mount(device, "traced")
        with program(FSYNCS, place) as pid:
            assert comes_to(Path(place, "one").exists)
            window = traced(partial(observe, 2.0))
        found = {one.mount_point: one for one in window.traced.places}[place]
        assert not instances(os.getpid())
    assert found.syncs > 1
    assert found.programs[0].name.endswith(f"(pid {pid})")
    assert found.programs[0].file == f"{place}/one"
    assert found.mean_ms > 0
    parts = (found.flush_ms, found.write_ms, found.commit_ms, found.rest_ms)
    assert sum(parts) == pytest.approx(found.mean_ms, abs=0.01)
    assert (found.commits > 0) == (kind == "ext4")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_traced_look_that_is_ended_leaves_no_instance(number):
    with subprocess.Popen(LOOK, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        assert comes_to(lambda: traces(running.pid))
        running.send_signal(number)
    assert comes_to(lambda: not instances(running.pid))


def test_an_instance_that_is_still_open_when_the_look_dies_is_removed_as_soon_as_it_is_not():
    with subprocess.Popen(LOOK, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        assert comes_to(lambda: traces(running.pid))
        (instance,) = instances(running.pid)
        (keeper,) = (one for one in psutil.Process(running.pid).children() if "fsadvisor-tracing" in one.cmdline())
        with (instance / "tracing_on").open("w"):
            running.kill()
            running.wait()
            assert comes_to(lambda: not keeper.is_running() or keeper.children())
    assert comes_to(lambda: not instances(running.pid))


def in_use(instance):
    """Made, and one of its files open: until then a look beside this one may remove it."""
    while True:
        instance.mkdir(exist_ok=True)
        with contextlib.suppress(OSError):
            return (instance / "tracing_on").open("w")


def test_what_another_look_left_is_removed_and_what_it_uses_is_not():
    left, used = (INSTANCES / f"fsadvisor-{os.getpid()}-{name}" for name in ("left", "used"))
    with in_use(used):
        left.mkdir()
        traced(partial(observe, 0.1))
        assert used.is_dir()
    assert not left.exists()
    with contextlib.suppress(OSError):  # another worker's look was quicker
        used.rmdir()


def test_what_may_not_trace_is_told_so():
    words = [sys.executable, "-m", "fsadvisor", "doctor", "--trace", "--seconds", "1"]
    hidden = "mount -t tmpfs none /sys/kernel/tracing && mount -t tmpfs none /sys/kernel/debug && exec"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f'{hidden} "$@"', "sh", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no tracefs that may be read here" in done.stderr
    assert "Traceback" not in done.stderr
