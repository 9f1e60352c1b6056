"""Our own engine does on real filesystems what it says, and leaves nothing."""

import os
import re
import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from fsadvisor.measure.probe import EngineError, own_engine
from fsadvisor.measure.probe.jobs import Allocation, Existing, Io, Metadata, Mix
from fsadvisor.measure.probe.own_engine import OrderDone
from fsadvisor.measure.probe.own_engine import window as joined
from fsadvisor.measure.probe.scratch_record import clear
from tests.cases import few
from tests.loops import needs_loop_devices, run
from tests.probe.filesystems import ON_DISK, mounted
from tests.waiting import END_S

MIB = 1 << 20
SHORT = 0.05


@pytest.fixture(scope="module", params=ON_DISK)
def folder(request, tmp_path_factory):
    with mounted(request.param, tmp_path_factory.mktemp("fs")) as place:
        yield place.folder


def size_of_unnamed(folder):
    """Of the one file below the folder that this process has open."""
    (opened,) = (it for it in Path("/proc/self/fd").iterdir() if os.path.realpath(it).startswith(f"{folder}/"))
    return opened.stat().st_size


def files_below(folder):
    return sorted(str(path) for path in folder.rglob("*") if path.name != "lost+found")


@pytest.mark.parametrize("sync", ["fsync", "fdatasync", "dsync"])
@pytest.mark.parametrize("pattern", few(["random", "append"], 2))
def test_each_commit_is_timed_as_a_whole_and_its_sync_alone(folder, sync, pattern):
    io = Io(operation="write", pattern=pattern, direct=False, sync=sync, file_bytes=MIB)

    with own_engine.open_latency(io, folder, None) as session:
        window = session.window(SHORT)

    assert window.operations == sum(window.latencies_ns.values()) == sum(window.sync_ns.values()) > 0
    assert window.asked_bytes == window.operations * io.block_bytes
    assert window.disks is None
    assert files_below(folder) == []


def test_an_append_goes_on_in_each_window_and_starts_anew_where_the_file_may_not_grow_further(folder):
    io = Io(operation="write", pattern="append", direct=False, file_bytes=MIB)
    with own_engine.open_latency(io, folder, None) as session:
        assert [(session.window(60).asked_bytes, size_of_unnamed(folder)) for _ in range(3)] == [
            (MIB // 2, MIB // 2),
            (MIB // 2, MIB),
            (MIB // 2, MIB // 2),
        ]


def test_what_is_not_synced_has_no_sync_latency(folder):
    with own_engine.open_latency(Io(operation="read", pattern="random", file_bytes=MIB), folder, None) as session:
        window = session.window(SHORT)

    assert window.operations > 0
    assert window.sync_ns == {}


def test_more_than_one_request_in_flight_is_left_to_fio(folder):
    io = Io(operation="read", pattern="random", depth=32, file_bytes=MIB)

    with pytest.raises(EngineError, match="needs fio"), own_engine.open_latency(io, folder, None):
        pass


@pytest.mark.parametrize("operation", few(["create", "stat", "open", "unlink"], 2))
@pytest.mark.parametrize("folders", few(["one", "each"], 2))
def test_metadata_operations_are_counted_over_all_workers(folder, operation, folders):
    work = Metadata(operation=operation, threads=2, folders=folders, files=100)

    with own_engine.open_names(work, folder, None) as session:
        window = session.window(0.001)

    assert window.operations == sum(window.latencies_ns.values()) > 0
    assert window.beside_bytes == (0 if operation in ("stat", "open") else pytest.approx(1024 * window.operations))
    assert files_below(folder) == []


def test_where_names_take_long_there_are_fewer(tmp_path):
    work = Metadata(operation="open", threads=2, files=100_000, set_up_seconds=0.01)
    with own_engine.open_names(work, tmp_path, None) as session:
        (place,) = tmp_path.iterdir()
        made = len(list(place.iterdir()))
        window = session.window(1e-9)
    assert 2 <= made < 100_000
    assert window.operations == made


@pytest.mark.loop
@needs_loop_devices
def test_what_the_disks_wrote_counts_for_names_where_it_is_known(tmp_path):
    with mounted("ext4", tmp_path, megabytes=64) as place:
        run("mount", "-o", "remount,sync", str(place.folder))
        with own_engine.open_names(Metadata(operation="create", files=20), place.folder, place.way) as session:
            window = session.window(0.01)
    assert window.beside_bytes == window.disks.written_bytes > window.operations * 4096 > 0


@pytest.mark.parametrize(("operation", "per_round"), [("fallocate", 1), ("punch", 128), ("free", 1)])
def test_allocation_times_its_step_alone_and_counts_extents(folder, operation, per_round):
    with own_engine.open_allocation(Allocation(operation=operation, file_bytes=16 * MIB), folder, None) as session:
        window = session.window(0.0001)

    assert window.operations % per_round == 0
    assert window.operations > 0
    # XFS and ext4 keep 128 pieces of 64 KiB, Btrfs as many; what is given back has none.
    assert {"fallocate": 1 <= window.extents <= 16, "punch": window.extents >= 128, "free": window.extents == 0}[
        operation
    ]


def test_a_server_s_life_syncs_where_its_steps_say(folder):
    steps = ("delete", "create", "append", "fsync", "close", "open", "read", "append", "fsync", "close", "log")
    work = Mix(steps=steps, threads=3, files=20, mean_file_bytes=4096, append_bytes=4096)

    with own_engine.open_mix(work, folder, None) as session:
        window = session.window(SHORT)

    assert sum(window.sync_ns.values()) == 2 * window.operations > 0
    assert files_below(folder) == []


def test_existing_files_are_read_whole_and_not_changed(folder):
    place = folder / "kept"
    place.mkdir()
    file = place / "table [red]$(x)"
    file.write_bytes(os.urandom(3 * MIB + 17))
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
    before = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    try:
        with own_engine.open_reading(Existing(), place, None) as session:
            windows = [session.window(SHORT)]
            while sum(window.asked_bytes for window in windows) < 3 * MIB + 17:
                windows.append(session.window(SHORT))
        assert windows[-1].extents >= 1
        assert (file.stat().st_atime_ns, file.stat().st_mtime_ns) == before
    finally:
        file.unlink()
        place.rmdir()


def test_a_link_is_not_followed_to_a_file(folder):
    link = folder / "link"
    link.symlink_to("/etc/passwd")
    try:
        with pytest.raises(EngineError), own_engine.open_reading(Existing(), link, None):
            pass
    finally:
        link.unlink()


@pytest.mark.loop
@needs_loop_devices
def test_no_room_is_said_in_words(tmp_path):
    with mounted("ext4", tmp_path, 16) as small:
        work = Mix(steps=("create", "close"), threads=1, files=100, mean_file_bytes=MIB, append_bytes=1)
        said = f"while measuring in {small.folder}: there is no space left"
        with pytest.raises(EngineError, match=re.escape(said)), own_engine.open_mix(work, small.folder, None):
            pass
        assert files_below(small.folder) == []


def creates_until_read_only(folder):
    with own_engine.open_names(Metadata(operation="create", files=10), folder, None) as session:
        session.window(SHORT)
        run("mount", "-o", "remount,ro", str(folder))
        session.window(SHORT)


@pytest.mark.loop
@needs_loop_devices
def test_what_takes_no_writes_any_more_is_told_with_the_folder_that_had_to_stay(tmp_path):
    with mounted("ext4", tmp_path) as place:
        said = (
            rf"while measuring in {place.folder}: the filesystem is read-only.*EROFS\); (.*) could not be taken away: "
        )
        with pytest.raises(EngineError, match=said) as told:
            creates_until_read_only(place.folder)
        run("mount", "-o", "remount,rw", str(place.folder))
        (left,) = place.folder.glob(".fsadvisor-scratch-*")
        assert f"; {left} could not" in str(told.value)
        assert clear(place.folder) == (f"took away {left}, left by a killed probe",)
        assert files_below(place.folder) == []


ORPHAN = """
import os, sys
from pathlib import Path
from fsadvisor.measure.probe.jobs import Metadata
from fsadvisor.measure.probe import own_engine
with own_engine.open_names(Metadata(operation="create", threads=2), Path(sys.argv[1]), None) as session:
    print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)
    session.window(60)
"""


def test_workers_die_with_a_killed_parent(tmp_path):
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(ORPHAN), str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    workers = [int(number) for number in parent.stdout.readline().split()]
    watched = [os.pidfd_open(number) for number in workers]
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()

    assert len(workers) == 2
    for descriptor in watched:
        # Readable once the process has ended.
        assert select.select([descriptor], [], [], END_S)[0]
        os.close(descriptor)
    assert clear(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_window_adds_up_what_its_workers_did():
    answers = [OrderDone(1.0, 2, 8192, {5: 2}, {}, 0.1, 0.2), OrderDone(0.5, 1, 4096, {5: 1, 7: 1}, {}, 0.1, 0.1)]

    window = joined(answers, None, None)

    assert (window.seconds, window.operations, window.asked_bytes) == (1.5, 3, 12288)
    assert window.latencies_ns == {5: 3, 7: 1}
