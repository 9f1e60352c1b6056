"""Incidents whose cause stands in stacks, in pressures of control groups and in the kernel's log."""

import contextlib
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from fsadvisor.measure.now.answer import answer
from fsadvisor.rulebook.loading import own_rulebook
from tests.doctor.disks import disk, mounted, needs_drive
from tests.doctor.staging import FSYNCS, WRITES, causes, diagnosis, program
from tests.loops import loops, needs_loop_devices, run
from tests.waiting import comes_to, in_state

pytestmark = [pytest.mark.long, pytest.mark.namespaces, needs_loop_devices]

MAKES_DIRECTORIES = (
    "import os\nn = 0\nwhile True:\n n += 1; p = f'{os.getpid()}-{n % 4000}'\n"
    " try: os.mkdir(p)\n except FileExistsError: os.rmdir(p)"
)
RENAMES = (
    "import os\nn = 0\nwhile True:\n n += 1; p = f'{os.getpid()}-{n % 50}'\n"
    " open(p, 'w').close(); os.rename(p, p + 'x'); os.unlink(p + 'x')"
)


@pytest.fixture
def disks(tmp_path):
    with loops(tmp_path) as made:
        yield made


def formatted(disks, name, megabytes):
    device = disks.device(name, megabytes)
    run("mkfs.ext4", "-q", device)
    return disks.mount(device, name)


@needs_drive
def test_a_journal_that_is_full_is_named_and_not_the_locks_that_are_held_meanwhile(tmp_path):
    with (
        disk(tmp_path, 300, "x-bps-write=8000000") as drive,
        mounted(drive.device, tmp_path / "data", "ext4", "-J", "size=4") as place,
        contextlib.ExitStack() as stack,
    ):
        pids = [stack.enter_context(program(MAKES_DIRECTORIES, place)) for _ in range(4)]
        assert all(in_state(pid, "D") for pid in pids)
        diagnosis()  # the journal fills
        told = diagnosis()
    assert "journal-full" in causes(told, place)
    assert not {"directory-locks", "locks-waited-for"} & {one.verdict.rule.id for one in told.found}
    assert "device-slow" not in causes(told, drive.name)


def test_tasks_that_wait_for_one_directory_are_told_with_the_directory(disks):
    place = Path(formatted(disks, "locks", 300)) / "spool"
    place.mkdir()
    with contextlib.ExitStack() as stack:
        pids = [stack.enter_context(program(RENAMES, place)) for _ in range(24)]
        seen = diagnosis().window
    ours = tuple(one for one in seen.programs if one.pid in pids)  # what others do meanwhile would explain it
    alone = replace(seen, programs=ours, devices=(), filesystems=(), groups=())
    told = answer(alone, own_rulebook().rules)
    (found,) = (one for one in told.found if one.verdict.rule.id == "directory-locks")
    assert not found.hurts
    assert found.place == f"they work in {place}"


def test_a_freeze_is_told_since_the_last_that_ran(disks):
    place = formatted(disks, "frozen", 64)
    run("fsfreeze", "--freeze", place)
    began = datetime.now(tz=UTC)
    try:
        with program(WRITES, place) as pid:
            assert in_state(pid, "D")
            stuck = datetime.now(tz=UTC)
            diagnosis(1)
            told = diagnosis()
            run("fsfreeze", "--unfreeze", place)
    except BaseException:
        subprocess.run(["fsfreeze", "--unfreeze", place], check=False, capture_output=True)
        raise
    found = causes(told, place)["filesystem-frozen"]
    assert f"pid {pid}" in found.since_by
    told_in_whole_s = timedelta(seconds=2)
    assert began - told_in_whole_s <= datetime.fromisoformat(found.since) <= stuck


@needs_drive
def test_a_drive_that_fails_reads_is_told_by_the_kernels_log_of_the_last_hour(tmp_path):
    with disk(tmp_path, 64, fails="read") as drive, Path(drive.device).open("rb", buffering=0) as file:
        before = datetime.now(tz=UTC) - timedelta(seconds=2)
        earlier = run("dmesg").count(f"dev {drive.name},")

        def logged():
            """The kernel logs ten errors in five seconds, and others' disks fail meanwhile."""
            with pytest.raises(OSError, match="Input/output error"):
                os.pread(file.fileno(), 4096, 32 << 20)
            return run("dmesg").count(f"dev {drive.name},") > earlier

        assert comes_to(logged)
        told = diagnosis(1)
    found = causes(told, drive.name)
    assert list(found) == ["device-errors-logged"]
    assert datetime.fromisoformat(found["device-errors-logged"].since) >= before.replace(microsecond=0)


REMOVES = (
    "import ctypes, os\nsync, here = ctypes.CDLL(None).syncfs, os.open('.', os.O_RDONLY)\nwhile True:\n"
    " for one in range(64):\n  with open(f'{one}', 'wb') as f: f.write(b'x' * 8192)\n"
    " sync(here)\n for one in range(0, 64, 2): os.unlink(f'{one}')\n sync(here)"
)


@needs_drive
def test_discards_of_a_mount_option_are_named_where_they_hold_a_disk_up(tmp_path):
    with disk(tmp_path, 300, "x-iops-total=100") as drive, mounted(drive.device, tmp_path / "data") as place:
        run("mount", "-o", "remount,discard", place)
        with program(REMOVES, place), program(FSYNCS, place) as pid:
            assert in_state(pid, "D")
            diagnosis(2)  # the first files are removed
            told = diagnosis(8)
    found = causes(told, drive.name)
    assert list(found) == ["discards-at-work"]
    assert found["discards-at-work"].culprits == (f"{place}: mounted with discard",)
    assert any(f"pid {pid}" in one for one in found["discards-at-work"].waiters)
    assert causes(told, f"pid {pid}") == {}


SMALL = 40
READS_ANYWHERE = (
    "import os, random\nf = os.open('big', os.O_RDONLY)\nos.posix_fadvise(f, 0, 0, os.POSIX_FADV_RANDOM)\n"
    "while True: os.pread(f, 4096, random.randrange(47 << 8) << 12)"
)


@contextlib.contextmanager
def small_group():
    """A control group of both hierarchies with little memory; its processes are gone by the end."""
    old, new = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup/unified")
    if not (old / "memory.limit_in_bytes").exists() or not (new / "cgroup.procs").exists():
        pytest.skip("it takes the memory controller of the older hierarchy, beside the newer one")
    name = f"fsadvisor-small-{os.getpid()}"
    for root in (old, new):
        (root / name).mkdir()
    try:
        (old / name / "memory.limit_in_bytes").write_text(str(SMALL << 20))
        enter = "; ".join(f"echo $$ > '{root / name}/cgroup.procs'" for root in (old, new))
        yield f"/{name}", ("sh", "-c", f'{enter}; exec "$@"', "sh", sys.executable, "-c")
    finally:
        for root in (old, new):
            assert comes_to(lambda root=root: not (root / name / "cgroup.procs").read_text())
            (root / name).rmdir()


@needs_drive
def test_a_small_group_that_thrashes_is_told_by_its_own_pressure(tmp_path):
    with disk(tmp_path, 200, "x-iops-total=1000") as drive, mounted(drive.device, tmp_path / "data") as place:
        (Path(place) / "big").write_bytes(os.urandom(60 << 20))
        run("sync", "--file-system", place)
        with (Path(place) / "big").open("rb") as file:  # what is cached already would be charged to nobody
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        with small_group() as (group, start), program("", place, *start, READS_ANYWHERE) as pid:
            pressure = Path(f"/sys/fs/cgroup/unified{group}/memory.pressure")
            assert comes_to(lambda: float(pressure.read_text().split()[1].removeprefix("avg10=")) > 40)
            told = diagnosis()
    found = causes(told, group)
    assert list(found) == ["group-short-of-memory"]
    assert any(f"pid {pid}" in one for one in found["group-short-of-memory"].culprits)
    assert causes(told, f"pid {pid}") == {}
    assert "memory-short" not in {one.verdict.rule.id for one in told.found}
