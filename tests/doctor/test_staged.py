"""Each is an incident on a loop device of its own; others' work on this machine goes on meanwhile."""

import subprocess
from pathlib import Path

import pytest

from tests.doctor.staging import FSYNCS, WRITES, causes, diagnosis, in_state, program
from tests.loops import loops, needs_loop_devices, run

pytestmark = [pytest.mark.long, needs_loop_devices]


@pytest.fixture
def disks(tmp_path):
    with loops(tmp_path) as made:
        yield made


def filesystem(disks, name, megabytes=64, options=(), kind="ext4"):
    device = disks.device(name, megabytes)
    run(f"mkfs.{kind}", "-q", *options, device)
    return device, disks.mount(device, name)


def test_a_frozen_filesystem_is_named_with_those_who_wait(disks):
    _, place = filesystem(disks, "frozen")
    run("fsfreeze", "--freeze", place)
    try:
        with program(WRITES, place) as pid:
            assert in_state(pid, "D")
            found = causes(diagnosis(), place)
            run("fsfreeze", "--unfreeze", place)
    except BaseException:
        subprocess.run(["fsfreeze", "--unfreeze", place], check=False, capture_output=True)
        raise
    assert list(found) == ["filesystem-frozen"]
    assert any(str(pid) in one for one in found["filesystem-frozen"].waiters)
    assert found["filesystem-frozen"].verdict.instructions().now == (f"fsfreeze --unfreeze {place}",)


def test_a_program_that_syncs_without_pause_is_named_and_nothing_is_broken(disks):
    _, place = filesystem(disks, "syncs")
    with program(FSYNCS, place) as pid:
        told = diagnosis()
    found = causes(told, f"pid {pid}")
    assert list(found) == ["program-waits-for-commits"]
    assert not any(one.hurts for one in found.values())
    assert place in found["program-waits-for-commits"].place


def test_a_filesystem_without_free_inodes_is_told_apart_from_a_full_one(disks):
    _, place = filesystem(disks, "inodes", options=("-N", "64"))
    with pytest.raises(OSError, match="No space left"):
        [(Path(place) / str(number)).touch() for number in range(100)]
    assert list(causes(diagnosis(1), place)) == ["inodes-gone"]


def test_a_full_filesystem_is_told(disks):
    _, place = filesystem(disks, "full")
    with pytest.raises(OSError, match="No space left"):
        (Path(place) / "big").write_bytes(bytes(64 << 20))
    assert list(causes(diagnosis(1), place)) == ["filesystem-full"]


def test_a_filesystem_that_the_kernel_made_read_only_is_told(disks):
    device, place = filesystem(disks, "errors")
    run("mount", "-o", "remount,errors=remount-ro", place)
    Path(f"/sys/fs/ext4/{Path(device).name}/trigger_fs_error").write_text("staged")
    assert list(causes(diagnosis(1), place)) == ["filesystem-turned-read-only"]


def test_a_filesystem_that_a_person_made_read_only_is_no_cause(disks):
    _, place = filesystem(disks, "person")
    run("mount", "-o", "remount,ro", place)
    assert causes(diagnosis(1), place) == {}


def test_a_quiet_filesystem_is_no_cause(disks):
    _, place = filesystem(disks, "quiet")
    assert causes(diagnosis(), place) == {}
