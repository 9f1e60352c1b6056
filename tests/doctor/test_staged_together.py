"""Incidents in which several work on one disk at once; others' work on this machine goes on meanwhile."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doctor.disks import disk, mounted, needs_drive
from tests.doctor.staging import FLOODS, FSYNCS, causes, diagnosis, program
from tests.loops import needs_loop_devices, run
from tests.waiting import comes_to

pytestmark = [pytest.mark.long, needs_loop_devices, needs_drive]


def test_two_programs_that_flood_a_disk_are_both_named(tmp_path):
    with disk(tmp_path, 400, "x-bps-total=60000000") as drive, mounted(drive.device, tmp_path / "data") as place:
        (Path(place) / "big").write_bytes(bytes(32 << 20))
        with contextlib.ExitStack() as stack:
            noisy = [stack.enter_context(program(FLOODS, place)) for _ in range(2)]
            victim = stack.enter_context(program(FSYNCS, place))
            told = diagnosis()
    found = causes(told, drive.name)
    assert list(found) == ["disk-taken-by-one"]
    assert all(any(f"pid {pid}" in one for one in found["disk-taken-by-one"].culprits) for pid in noisy)
    assert any(f"pid {victim}" in one for one in found["disk-taken-by-one"].waiters)


@contextlib.contextmanager
def unit():
    """A control group by a unit's name, where the kernel has the newer hierarchy; a shell's words to enter it."""
    root = next(
        (it for it in map(Path, ("/sys/fs/cgroup/unified", "/sys/fs/cgroup")) if (it / "cgroup.procs").exists()), None
    )
    if root is None:
        pytest.skip("no control groups of the newer hierarchy")
    group = root / f"noisy-{os.getpid()}.service"
    group.mkdir()
    try:
        yield group.name, ("sh", "-c", f'echo $$ > "{group}/cgroup.procs"; exec "$@"', "sh", sys.executable, "-c")
    finally:
        assert comes_to(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


def test_a_neighbours_control_group_is_told_though_none_of_its_programs_alone_fills_the_disk(tmp_path):
    with disk(tmp_path, 400, "x-bps-total=60000000") as drive, mounted(drive.device, tmp_path / "data") as place:
        (Path(place) / "big").write_bytes(bytes(32 << 20))
        with contextlib.ExitStack() as stack:
            name, start = stack.enter_context(unit())
            for _ in range(6):
                stack.enter_context(program("", place, *start, FLOODS))
            victim = stack.enter_context(program(FSYNCS, place))
            told = diagnosis()
    found = causes(told, drive.name)
    assert list(found) == ["disk-taken-by-one"]
    assert found["disk-taken-by-one"].culprits[0].startswith(f"{name}: 6 programs move")
    assert any(f"pid {victim}" in one for one in found["disk-taken-by-one"].waiters)


def test_a_balance_is_told_and_not_its_tool_as_one_that_takes_the_disk(tmp_path):
    with disk(tmp_path, 2000, "x-iops-total=300") as drive, mounted(drive.device, tmp_path / "m", "btrfs") as place:
        for number in range(20):
            (Path(place) / str(number)).write_bytes(os.urandom(10 << 20))
        run("sync", "--file-system", place)
        balance = ("btrfs", "balance", "start", "--full-balance", place)
        with program(FSYNCS, place) as pid, program("", place, *balance) as tool:
            status = ("btrfs", "balance", "status", place)
            assert comes_to(lambda: "is running" in subprocess.run(status, capture_output=True, text=True).stdout)
            told = diagnosis()
        subprocess.run(["btrfs", "balance", "cancel", place], check=False, capture_output=True)
    found = causes(told, place)
    assert "btrfs-at-work" in found
    assert any(f"pid {tool}" in one for one in found["btrfs-at-work"].culprits)
    assert any(f"pid {pid}" in one for one in found["btrfs-at-work"].waiters)
    assert not any(drive.name == one.verdict.subject.name for one in told.found)
