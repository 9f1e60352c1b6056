"""Each is an incident on a loop device of its own; others' work on this machine goes on meanwhile."""

import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from fsadvisor.machine import symptoms
from fsadvisor.measure.now import Window
from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.observe import observe
from fsadvisor.report.doctor_page import as_json
from fsadvisor.rulebook.loading import own_rulebook
from tests.command import fsadvisor
from tests.doctor.disks import needs_drive, quick
from tests.doctor.staging import FLOODS, FSYNCS, WRITES, causes, diagnosis, program
from tests.loops import loops, needs_loop_devices, run
from tests.waiting import comes_to, in_state

libc = ctypes.CDLL(None, use_errno=True)

pytestmark = [pytest.mark.long, pytest.mark.namespaces, needs_loop_devices]


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


def test_a_write_to_a_file_that_is_open_on_a_frozen_filesystem_is_told_from_elsewhere(disks, tmp_path):
    _, place = filesystem(disks, "open")
    code = (
        f"import os\nf = os.open('{place}/one', os.O_CREAT | os.O_RDWR)\nprint(flush=True)\ninput()\nos.write(f, b'x')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout.readline() == b"\n"
        run("fsfreeze", "--freeze", place)
        try:
            writer.stdin.write(b"\n")
            writer.stdin.close()
            assert in_state(writer.pid, "D")
            told = diagnosis()
        finally:
            run("fsfreeze", "--unfreeze", place)
    assert list(causes(told, place)) == ["filesystem-frozen"]


@needs_drive
def test_a_program_that_syncs_without_pause_is_named_and_nothing_is_broken(tmp_path):
    with quick(tmp_path, 64) as (_, place), program(FSYNCS, place) as pid:
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


READS = (
    "import os, mmap, random\nf = os.open('big', os.O_RDONLY | os.O_DIRECT)\nb = mmap.mmap(-1, 65536)\n"
    "while True: os.preadv(f, [b], random.randrange(600) * 65536)"
)


@contextlib.contextmanager
def throttled(pid, limit):
    """A process below a limit of the older or the newer hierarchy of control groups."""
    old = Path("/sys/fs/cgroup/blkio")
    if not (old / "blkio.throttle.write_bps_device").exists():
        pytest.skip("the older hierarchy's blkio controller is not mounted")
    group = old / f"fsadvisor-staged-{pid}"
    group.mkdir()
    try:
        (group / "blkio.throttle.read_bps_device").write_text(limit)
        (group / "cgroup.procs").write_text(str(pid))
        yield group.name
    finally:
        (old / "cgroup.procs").write_text(str(pid))
        comes_to(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


def number_of(device):
    found = Path(device).stat().st_rdev
    return f"{os.major(found)}:{os.minor(found)}"


def test_a_program_at_the_limit_of_its_control_group_is_told_and_not_the_disk(disks):
    device, place = filesystem(disks, "limited")
    (Path(place) / "big").write_bytes(bytes(40 << 20))
    with program(READS, place) as pid, throttled(pid, f"{number_of(device)} 1048576") as group:
        assert in_state(pid, "D")  # a window that holds its start would see it below the limit
        told = diagnosis()
    found = causes(told, f"/{group}")
    assert list(found) == ["group-at-its-limit"]
    assert "1,048,576 bytes read per second" in found["group-at-its-limit"].place
    assert any(f"pid {pid}" in one for one in found["group-at-its-limit"].waiters)
    assert causes(told, Path(device).name) == {}
    assert causes(told, f"pid {pid}") == {}


def test_an_xfs_at_its_share_of_inodes_is_told_to_have_no_inodes(disks):
    _, place = filesystem(disks, "imaxpct", 400, ("-i", "maxpct=1"), "xfs")
    with contextlib.suppress(OSError):
        [(Path(place) / str(number)).touch() for number in range(60000)]
    assert list(causes(diagnosis(1), place)) == ["inodes-gone"]


def test_a_program_of_fuse_that_hangs_is_told_as_a_filesystem_that_does_not_answer(tmp_path):
    place = tmp_path / "hangs"
    place.mkdir()
    fuse = os.open("/dev/fuse", os.O_RDWR)
    try:
        options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0,allow_other"
        done = libc.mount(b"/dev/loop0", str(place).encode(), b"fuse.hung", 0, options.encode())
        assert done == 0
        seen = diagnosis(1)
        found = causes(seen, str(place))
        by_path = fsadvisor("doctor", f"{place}/file", "--seconds", "1").stdout.decode()
        refused = fsadvisor("doctor", "fsync", f"{place}/file", "--seconds", "1")
        os.close(fuse)
        ended = causes(diagnosis(1), str(place))
    finally:
        libc.umount2(str(place).encode(), 2)
        with contextlib.suppress(OSError):
            os.close(fuse)
    assert [one.device for one in seen.window.filesystems if one.mount_point == str(place)] == [""], "its user named it"
    assert list(found) == list(ended) == ["filesystem-does-not-answer"]
    assert "has ended" in ended["filesystem-does-not-answer"].verdict.instructions().advice
    assert "fsadvisor explain filesystem-does-not-answer" in by_path
    assert refused.returncode == 2


def test_honest_load_by_two_writers_breaks_nothing(disks):
    device, place = filesystem(disks, "load", 200)
    with program(WRITES, place) as one, program("while True: pass", place) as two:
        told = diagnosis()
    found = [causes(told, what) for what in (place, Path(device).name, f"pid {one}", f"pid {two}")]
    assert not [cause.verdict.rule.id for each in found for cause in each.values() if cause.hurts]


def test_a_window_that_is_written_and_read_gets_the_same_answer(disks):
    _, place = filesystem(disks, "kept", options=("-N", "64"))
    with contextlib.suppress(OSError):
        [(Path(place) / str(number)).touch() for number in range(100)]
    window = observe(1)
    again = msgspec.json.decode(msgspec.json.encode(window), type=Window)
    rules = own_rulebook().rules
    assert as_json(answer(again, rules)) == as_json(answer(window, rules))


HOLDS = (
    "import os, time\nf = open('gone', 'wb')\nos.unlink('gone')\nf.write(bytes(174 << 20))\nf.flush()\ntime.sleep(9999)"
)


def test_full_tells_a_deleted_file_that_is_open_and_what_it_frees(disks):
    _, place = filesystem(disks, "deleted", 200, ("-m", "0"))
    with program(HOLDS, place) as pid:
        assert comes_to(lambda: os.statvfs(place).f_bavail * os.statvfs(place).f_frsize < 12 << 20)
        text = " ".join(fsadvisor("doctor", "full", place).stdout.decode().split())
    assert "1. Deleted files that are still open hold space. It frees about 1" in text
    assert str(pid) in text


def test_fsync_tells_who_syncs_and_what_the_journal_did(disks):
    _, place = filesystem(disks, "ladder")
    with program(FSYNCS, place) as pid:
        text = fsadvisor("doctor", "fsync", place, "--seconds", "3").stdout.decode()
    assert f"(pid {pid}" in text
    assert "commits per second" in text
    assert "was not measured. `--trace`" in " ".join(text.split())


def test_a_writer_that_floods_a_disk_is_named_as_what_is_done_there(disks):
    device, place = filesystem(disks, "flooded", 100)
    (Path(place) / "big").write_bytes(bytes(32 << 20))
    with program(FLOODS, place) as pid:
        told = diagnosis()
    here = [one for one in told.window.programs if place in one.places]
    most = max(here, key=lambda one: one.write_bytes or 0)
    assert (most.pid, most.write_bytes > 0) == (pid, True)
    assert set(causes(told, Path(device).name)) <= {"device-at-its-limit"}


def test_a_balance_of_a_btrfs_is_told_as_its_own_work_where_tasks_wait(disks):
    _, place = filesystem(disks, "balanced", 600, kind="btrfs")
    for number in range(30):
        (Path(place) / str(number)).write_bytes(os.urandom(10 << 20))
    with program("", place, "sh", "-c", f"while :; do btrfs balance start --full-balance {place}; done"):
        assert comes_to(lambda: "balance" in symptoms.btrfs_jobs().values())
        told = diagnosis()
        jobs = {one.mount_point: one.job for one in told.window.filesystems}
    waits = (told.window.io_some or 0) >= 0.1
    running = jobs[place] == "balance"
    assert ("btrfs-at-work" in causes(told, place)) == (waits and running)
    assert not [one for one in causes(told, place).values() if one.verdict.rule.severity in ("critical", "high")]


def test_tools_that_hang_hold_the_answer_up_for_two_time_outs_at_most_and_are_named(tmp_path):
    hangs = tmp_path / "hangs"
    hangs.write_text("#!/bin/sh\nexec sleep 86400\n")
    hangs.chmod(0o755)
    tools = [shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin") for name in ("systemctl", "dmesg", "dumpe2fs")]
    binds = "; ".join(f"mount --bind '{hangs}' '{os.path.realpath(one)}'" for one in tools if one)
    command = f"{binds}; exec '{sys.executable}' -m fsadvisor doctor --seconds 3"
    done = subprocess.run(["unshare", "--mount", "sh", "-c", command], capture_output=True, text=True, check=False)
    words = " ".join(done.stdout.split())
    assert "What is wrong, in the" in words
    assert "did not end in 4 s" in words or "the audit did not answer in 10 s" in words  # on a machine that is slow
    assert done.stderr == "fsadvisor: looking for 3 s\n"
    assert comes_to(lambda: not sleeping())


def sleeping():
    """What such a tool left behind."""
    found = subprocess.run(["pgrep", "-f", "^sleep 86400$"], capture_output=True, check=False)
    return bool(found.stdout)


def test_processes_that_cannot_be_asked_are_told_and_hold_nobody_up(tmp_path):
    os.mkfifo(tmp_path / "hangs")  # nobody writes to it, so whoever opens it to read waits
    with program("while True: pass", tmp_path) as one, program("while True: pass", tmp_path) as two:
        binds = "; ".join(f"mount --bind '{tmp_path}/hangs' /proc/{pid}/cmdline" for pid in (one, two))
        command = f"{binds}; exec '{sys.executable}' -m fsadvisor doctor --json --seconds 3"
        done = subprocess.run(["unshare", "--mount", "sh", "-c", command], capture_output=True, check=False)
    told = json.loads(done.stdout)["window"]
    assert {f"process {one}: no answer in 3 s", f"process {two}: no answer in 3 s"} <= set(told["untold"])
    assert {one, two} <= {program["pid"] for program in told["programs"]}
