"""A device is read where a scratch file lies on it, and nothing else is done to it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from fsadvisor.machine.inodes import Extent
from fsadvisor.measure.compare_worker import FileExtent, device_argv, fits_device, longest_extent, open_device
from fsadvisor.measure.probe import EngineError, disks
from fsadvisor.measure.probe.jobs import JOBS
from tests.cases import each, few
from tests.loops import loops, needs_loop_devices, run

MIB = 1 << 20
WORK = structs.replace(JOBS["random-read-32"].work, file_bytes=16 * MIB)
READ = structs.replace(JOBS["random-read-32"], work=WORK)
ENGINES = ("libaio",)


def extent(logical, physical, length, *, plain=True):
    return Extent(logical=logical * MIB, physical=physical * MIB, length=length * MIB, plain=plain)


@each("job", ["random-write-32", "commit-fdatasync", "fsync-ladder", "create-1", "write-direct"])
def test_what_would_write_is_not_asked_of_a_device(job):
    assert not fits_device(JOBS[job])


@pytest.mark.parametrize("job", ["read-buffered", "random-read-32-sparse", "random-read-1-preallocated"])
def test_nor_what_is_read_through_the_page_cache_or_was_never_written(job):
    assert not fits_device(JOBS[job])


@given(st.sampled_from([it for it in JOBS.values() if fits_device(it)]), st.integers(0, 1 << 40))
def test_every_command_reads_only_and_flushes_nothing(job, offset):
    piece = FileExtent(logical=0, physical=offset, length=64 * MIB)
    argv = device_argv(job.work, "/proc/1/fd/3", piece, 0.5, ENGINES)
    last = {it.partition("=")[0]: it.partition("=")[2] for it in argv}
    assert last["--rw"] in ("randread", "read")
    assert last["--invalidate"] == "0"
    assert last["--offset"] == str(offset)
    assert last["--direct"] == "1"
    assert int(last["--size"]) * job.work.streams <= 64 * MIB
    assert "--readonly" in argv
    assert not {"--end_fsync", "--fsync", "--fdatasync", "--sync"} & last.keys()


def test_a_work_that_writes_has_no_command_even_where_somebody_asks():
    with pytest.raises(EngineError, match="only read"):
        device_argv(
            JOBS["random-write-32"].work,
            "/dev/null",
            FileExtent(logical=0, physical=0, length=MIB),
            1,
            (),
        )


def test_the_longest_piece_is_read_and_neighbours_are_one():
    found = longest_extent([extent(0, 100, 2), extent(2, 300, 6), extent(8, 306, 4), extent(12, 50, 4)], WORK)
    assert found == FileExtent(logical=2 * MIB, physical=300 * MIB, length=10 * MIB)


def test_blocks_that_are_encoded_or_shared_are_no_part_of_it():
    parts = [extent(0, 100, 6), extent(6, 106, 2, plain=False), extent(8, 108, 8)]
    assert longest_extent(parts, WORK).physical == 108 * MIB


@pytest.mark.parametrize("parts", [[], [extent(0, 9, 3), extent(3, 90, 3)], [extent(0, 9, 16, plain=False)]])
def test_a_file_in_small_pieces_answers_another_question(parts):
    with pytest.raises(EngineError, match="extents on the device"):
        longest_extent(parts, WORK)


# On real filesystems


@pytest.fixture
def made(tmp_path):
    with loops(tmp_path) as some:

        def mounted(fs_type):
            loop = some.device(fs_type, 320)
            at_once = ("-E", "lazy_itable_init=0,lazy_journal_init=0") if fs_type == "ext4" else ()
            run(f"mkfs.{fs_type}", "-q", *at_once, loop)
            return loop.rpartition("/")[2], Path(some.mount(loop, f"on-{fs_type}"))

        yield mounted


@pytest.mark.loop
@needs_loop_devices
@pytest.mark.parametrize("fs_type", few(["ext4", "xfs"]))
def test_a_device_is_read_and_never_written(made, fs_type):
    loop, folder = made(fs_type)
    with open_device(READ, folder, disks.Way.straight_to(loop)) as session:
        run("sync", "-f", str(folder))
        before = disks.counted(disks.Way.straight_to(loop))
        window = session.window(0.2)
        did = disks.between(before, disks.counted(disks.Way.straight_to(loop)))
    assert window.operations > 0
    assert did.read_bytes >= window.asked_bytes
    assert did.written_bytes == 0, "flushes may be another program's, which has all filesystems written out"
    assert not [it for it in folder.iterdir() if it.name != "lost+found"]


@pytest.mark.loop
@needs_loop_devices
def test_where_addresses_are_the_filesystem_s_own_nothing_is_read(made):
    loop, folder = made("btrfs")
    with (
        pytest.raises(EngineError, match="no single block device"),
        open_device(READ, folder, disks.Way.straight_to(loop)),
    ):
        pass
