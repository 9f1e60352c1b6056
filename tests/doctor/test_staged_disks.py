"""Incidents of disks that misbehave, and of real programs on them; others' work on this machine goes on meanwhile."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.addresses import own_address
from tests.command import fsadvisor
from tests.doctor.disks import POSTGRES, disk, mounted, needs_drive, postgresql, quick
from tests.doctor.staging import FLOODS, FSYNCS, causes, diagnosis, program
from tests.loops import loops, needs_loop_devices, run
from tests.waiting import comes_to, in_state

ETCD = shutil.which("etcd")
pytestmark = [pytest.mark.long, needs_loop_devices]


def grave(found):
    """Those that hurt."""
    return {name for name, one in found.items() if one.hurts}


@needs_drive
def test_a_drive_whose_program_stops_is_told_by_the_filesystem_that_its_file_is_on(tmp_path):
    with (
        disk(tmp_path, 100) as drive,
        mounted(drive.device, tmp_path / "data") as place,
        program(FSYNCS, place) as pid,
        drive.stopped(),
    ):
        assert in_state(pid, "D")
        told = diagnosis()
    found = causes(told, f"{tmp_path}/drive")
    assert list(found) == ["filesystem-does-not-answer"]
    assert any(f"pid {pid}" in one for one in found["filesystem-does-not-answer"].waiters)
    assert causes(told, drive.name) == causes(told, f"pid {pid}") == {}


@needs_drive
@pytest.mark.parametrize("limits", [("x-iops-total=15",), ("x-iops-total=4",)], ids=["15 a second", "4 a second"])
def test_a_drive_that_lags_is_told_as_slow_and_the_program_is_not_blamed(tmp_path, limits):
    with (
        disk(tmp_path, 100, *limits) as drive,
        mounted(drive.device, tmp_path / "data") as place,
        program(FSYNCS, place) as pid,
    ):
        assert in_state(pid, "D")
        told = diagnosis()
    assert list(causes(told, drive.name)) == ["device-slow"]
    assert causes(told, f"pid {pid}") == {}


@needs_drive
def test_a_volume_whose_burst_is_used_up_is_told_as_slow(tmp_path):
    burst = ("x-iops-total=8", "x-iops-total-max=300", "x-iops-total-max-length=2")
    with (
        disk(tmp_path, 100, *burst) as drive,
        mounted(drive.device, tmp_path / "data") as place,
        program(FSYNCS, place),
    ):
        diagnosis()  # the bucket empties
        told = diagnosis()
    assert list(causes(told, drive.name)) == ["device-slow"]


@needs_drive
def scrub(place):
    """What the tool says of it."""
    return " ".join(run("btrfs", "scrub", "status", place).lower().split())


@needs_drive
def test_a_scrub_on_a_slow_disk_is_told_as_the_filesystems_work_and_by_whom(tmp_path):
    with disk(tmp_path, 1500, "x-bps-total=30000000") as drive, mounted(drive.device, tmp_path / "m", "btrfs") as place:
        for number in range(30):
            (Path(place) / str(number)).write_bytes(os.urandom(10 << 20))
        run("sync", "--file-system", place)
        scrubs = f"while :; do btrfs scrub start -B '{place}'; done"
        with program(FSYNCS, place) as pid, program("", place, "sh", "-c", scrubs):
            assert comes_to(lambda: "status: running" in scrub(place))
            told = diagnosis()
        while "status: running" in scrub(place):
            subprocess.run(["btrfs", "scrub", "cancel", place], check=False)
    at_work = (one for one in told.found if one.verdict.rule.id == "btrfs-at-work")
    (found,) = (one for one in at_work if one.verdict.subject.name == place)
    assert [one.split(" ")[0] for one in found.culprits] == ["btrfs"]
    assert any(f"pid {pid}" in one for one in found.waiters)
    others = {one.verdict.rule.id for one in told.found if place in (one.place, one.verdict.subject.name)}
    assert others == {"btrfs-at-work"}
    assert not any(drive.name == one.verdict.subject.name for one in told.found)


@pytest.mark.skipif(not ETCD, reason="etcd is not installed (Debian's etcd-server)")
def test_an_etcd_on_a_slow_disk_waits_for_the_disk(tmp_path):
    url, peer = f"http://{own_address()}", f"http://{own_address()}"
    asks = (
        "import urllib.request\nwhile True:\n try: urllib.request.urlopen("
        f'\'{url}/v3/kv/put\', b\'{{"key":"a2V5","value":"dmFs"}}\').read()\n except OSError: pass'
    )
    with disk(tmp_path, 400, "x-iops-total=10") as drive, mounted(drive.device, tmp_path / "data") as place:
        argv = [ETCD, "--data-dir", f"{place}/d", "--listen-client-urls", url, "--advertise-client-urls", url]
        argv += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
        argv += ["--initial-cluster", f"default={peer}", "--log-level", "error"]
        with contextlib.ExitStack() as stack:
            pid = stack.enter_context(program("", place, *argv))
            for _ in range(3):  # one alone leaves the drive idle while it waits for a processor
                stack.enter_context(program(asks, tmp_path))
            assert comes_to(lambda: any(Path(f"{place}/d/member/wal").glob("*-*.wal")))
            diagnosis()
            told = diagnosis()
    found = causes(told, drive.name)
    assert list(found) == ["device-slow"]
    assert any(f"etcd (pid {pid}" in one for one in found["device-slow"].waiters)


@pytest.fixture
def disks(tmp_path):
    with loops(tmp_path) as made:
        yield made


FLOODS_BY_THREE = (
    f"import threading\ncode = {FLOODS!r}\nfor _ in range(3): threading.Thread(target=exec, args=(code,)).start()"
)
"""One writer alone leaves a quick disk idle while it waits for a processor."""


@needs_drive
def test_a_noisy_neighbour_is_named_and_who_waits_for_it(tmp_path):
    with disk(tmp_path, 300, "x-bps-total=100000000") as drive, mounted(drive.device, tmp_path / "data") as place:
        (Path(place) / "big").write_bytes(bytes(32 << 20))
        with program(FLOODS_BY_THREE, place) as noisy, program(FSYNCS, place) as victim:
            told = diagnosis()
    found = causes(told, drive.name)
    assert list(found) == ["disk-taken-by-one"]
    (culprit,) = found["disk-taken-by-one"].culprits
    assert f"pid {noisy}" in culprit
    assert any(f"pid {victim}" in one for one in found["disk-taken-by-one"].waiters)


MANY_FILES = (
    "import os\nn = 0\nwhile True:\n n += 1\n"
    " f = os.open(f'{os.getpid()}-{n % 500}', os.O_CREAT | os.O_RDWR | os.O_TRUNC)\n"
    " os.write(f, b'x' * 4096); os.fsync(f); os.close(f)"
)
PIECES = (
    "import os, random\nf = os.open('pieces', os.O_CREAT | os.O_RDWR)\n"
    "while True: os.pwrite(f, b'x' * 4096, random.randrange(10000) * 8192); os.fdatasync(f)"
)


@pytest.mark.parametrize(
    ("code", "many", "options"),
    [(MANY_FILES, 3, ("-J", "size=4")), (PIECES, 1, ())],
    ids=["small journal, many small fsyncs", "a file written in pieces"],
)
@needs_drive
def test_those_who_commit_without_pause_are_named(tmp_path, code, many, options):
    with quick(tmp_path, 200, *options) as (_, place), contextlib.ExitStack() as stack:
        pids = [stack.enter_context(program(code, place)) for _ in range(many)]
        told = diagnosis()
    waits = [one for one in told.found if one.verdict.rule.id == "program-waits-for-commits"]
    (found,) = [one for one in waits if f"pid {pids[0]}" in " ".join(one.culprits)]
    assert found.alike == many - 1
    assert all(any(f"pid {pid}" in one for one in found.culprits) for pid in pids)
    assert grave(causes(told, place)) == set()


SAME_DIRECTORY = (
    "import os\nn = 0\nwhile True:\n n += 1\n p = f'{os.getpid()}-{n % 50}'; open(p, 'w').close(); os.unlink(p)"
)


@needs_drive
def test_a_storm_of_tasks_in_one_directory_breaks_nothing(tmp_path):
    with quick(tmp_path, 200) as (name, place), contextlib.ExitStack() as stack:
        pids = [stack.enter_context(program(SAME_DIRECTORY, place)) for _ in range(8)]
        told = diagnosis()
    assert not grave(causes(told, name)) | grave(causes(told, place))
    assert not any(grave(causes(told, f"pid {pid}")) for pid in pids)


TRIMS = (
    "import os, subprocess\nwhile True:\n"
    " f = os.open('gone', os.O_CREAT | os.O_WRONLY); os.write(f, bytes(64 << 20)); os.fsync(f); os.close(f)\n"
    " os.unlink('gone'); subprocess.run(['fstrim', '.'], check=True)"
)


@needs_drive
def test_a_storm_of_discards_beside_a_program_that_syncs_breaks_nothing(tmp_path):
    with quick(tmp_path, 300) as (name, place), program(TRIMS, place), program(FSYNCS, place) as victim:
        told = diagnosis()
    assert grave(causes(told, name)) <= {"disk-taken-by-one"}
    assert set(causes(told, f"pid {victim}")) <= {"program-waits-for-commits"}


READS_ALL = (
    "import os\nf = os.open('big', os.O_RDONLY)\nn = 0\nwhile True: n = (n + 1) % 200; os.pread(f, 1 << 20, n << 20)"
)


@contextlib.contextmanager
def memory_group(megabytes):
    """A control group of the older hierarchy with so much memory; its processes are gone by the end."""
    root = Path("/sys/fs/cgroup/memory")
    if not (root / "memory.limit_in_bytes").exists():
        pytest.skip("the older hierarchy's memory controller is not mounted")
    group = root / f"fsadvisor-staged-{os.getpid()}"
    group.mkdir()
    try:
        (group / "memory.limit_in_bytes").write_text(str(megabytes << 20))
        yield ("sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', str(group), sys.executable, "-c")
    finally:
        assert comes_to(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


@needs_drive
def test_a_reader_whose_cached_pages_are_evicted_breaks_nothing(tmp_path):
    with quick(tmp_path, 400) as (name, place):
        (Path(place) / "big").write_bytes(bytes(200 << 20))
        with memory_group(40) as start, program("", place, *start, READS_ALL) as pid:
            told = diagnosis()
    assert not grave(causes(told, name)) | grave(causes(told, f"pid {pid}")) | grave(causes(told, place))


@pytest.mark.skipif(not POSTGRES.exists(), reason="PostgreSQL 15 is not installed")
@needs_drive
def test_a_checkpoint_storm_of_postgresql_on_a_fast_disk_is_no_fault_of_the_disk(tmp_path):
    storm = ("max_wal_size=32MB", "checkpoint_completion_target=0.1")
    with quick(tmp_path, 1500) as (name, place), postgresql(place, tmp_path, "-c", "8", options=storm):
        told = diagnosis()
    assert not grave(causes(told, name)) | grave(causes(told, place))


def test_full_tells_a_btrfs_without_room_for_metadata(disks):
    device = disks.device("metadata", 256)
    run("mkfs.btrfs", "-q", device)
    place = disks.mount(device, "metadata")
    with contextlib.suppress(OSError):
        [(Path(place) / f"big{number}").write_bytes(bytes(4 << 20)) for number in range(100)]
    for number in range(0, 100, 2):
        (Path(place) / f"big{number}").unlink(missing_ok=True)
    with pytest.raises(OSError, match="No space left"):
        [(Path(place) / str(number)).write_bytes(b"x" * 2000) for number in range(100_000)]
    text = " ".join(fsadvisor("doctor", "full", place).stdout.decode().split())
    assert "metadata" in text.partition("2. ")[0]
