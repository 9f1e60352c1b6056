"""Scratch files and folders: what they hold, and that nothing of them stays."""

import errno
import os
import random
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from fsadvisor.measure.probe import EngineError, because, scratch_record
from fsadvisor.measure.probe.scratch import fallocate, scratch_file
from fsadvisor.measure.probe.scratch_record import clear
from tests.cases import each, few
from tests.loops import needs_loop_devices, run
from tests.paths import ROOT
from tests.probe.filesystems import KINDS, ON_DISK, mounted, names_in

MIB = 1 << 20
SIZE = 8 * MIB + 12345
_KEEP_SIZE, _PUNCH_HOLE = 1, 2
"""linux/falloc.h"""

KILLED = """
import signal, sys
from pathlib import Path
from fsadvisor.measure.probe.scratch import scratch_file, tree
folder = Path(sys.argv[2])
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
while True:
    for synced in (False, True):
        with scratch_file(folder, 16 << 20, "written", synced=synced) as file:
            file.fill()
            file.empty()
    with tree(folder) as place:
        for number in range(50):
            (place / f"d{number}").mkdir()
            (place / f"d{number}" / "w0-000000").write_bytes(b"x" * 5000)
"""
"""SIGALRM's default ends a process on the spot, as SIGKILL does, at a moment that needs no one to wait for it."""


@pytest.fixture(scope="module", params=KINDS)
def filesystem(request, tmp_path_factory):
    with mounted(request.param, tmp_path_factory.mktemp(request.param)) as one:
        yield one


@pytest.fixture(scope="module", params=ON_DISK)
def on_disk(request, tmp_path_factory):
    with mounted(request.param, tmp_path_factory.mktemp(request.param)) as one:
        yield one


class TestFile:
    def test_has_no_name_and_leaves_no_block(self, filesystem):
        free = filesystem.free_bytes()
        with scratch_file(filesystem.folder, SIZE, "written") as file:
            file.fill()
            assert filesystem.free_bytes() <= free - SIZE
            assert names_in(filesystem.folder) == set()
        filesystem.remount()
        assert filesystem.has_back(free)

    def test_has_a_name_only_where_a_sync_would_do_something_else_without(self, on_disk):
        named = on_disk.kind not in ("ext4", "xfs")
        with (
            scratch_file(on_disk.folder, MIB, "written", synced=True) as one,
            scratch_file(on_disk.folder, MIB, "written", synced=True) as other,
        ):
            assert [os.fstat(it.descriptor).st_nlink for it in (one, other)] == [named, named]
            assert [it.startswith(scratch_record.PREFIX) for it in names_in(on_disk.folder)] == [True] * named
        assert names_in(on_disk.folder) == set()

    def test_written_has_every_block_and_nothing_to_compress_or_to_share(self, filesystem):
        with scratch_file(filesystem.folder, SIZE, "written") as file:
            file.fill()
            content = os.pread(file.descriptor, SIZE + 1, 0)
            assert len(content) == SIZE
            assert os.fstat(file.descriptor).st_blocks * 512 >= SIZE - 4096
        blocks = [content[at : at + 4096] for at in range(0, SIZE, 4096)]
        assert len(set(blocks)) == len(blocks)
        some = b"".join(blocks[::10])
        assert len(zlib.compress(some, 1)) > 0.99 * len(some)

    def test_preallocated_has_blocks_that_read_as_zeros(self, filesystem):
        with scratch_file(filesystem.folder, 4 * MIB, "preallocated") as file:
            file.fill()
            assert os.fstat(file.descriptor).st_blocks * 512 >= 4 * MIB
            assert os.pread(file.descriptor, 5 * MIB, 0) == bytes(4 * MIB)

    def test_sparse_has_no_blocks(self, filesystem):
        with scratch_file(filesystem.folder, 4 * MIB, "sparse") as file:
            file.fill()
            assert os.fstat(file.descriptor).st_size == 4 * MIB
            assert os.fstat(file.descriptor).st_blocks == 0

    def test_is_brought_back_into_its_state(self, filesystem):
        with scratch_file(filesystem.folder, MIB, "sparse") as file:
            file.fill()
            os.pwrite(file.descriptor, b"x" * 2 * MIB, 0)
            file.fill()
            assert os.fstat(file.descriptor).st_size == MIB
            assert os.fstat(file.descriptor).st_blocks == 0

    def test_is_opened_by_another_process(self, filesystem):
        with scratch_file(filesystem.folder, 4096, "written") as file:
            file.fill()
            assert len(subprocess.run(["cat", file.path], capture_output=True).stdout) == 4096

    def test_says_that_there_is_no_room_and_leaves_all_of_it_free(self, filesystem):
        free = filesystem.free_bytes()
        with (
            pytest.raises(EngineError, match=r"preparing the scratch file in /.*no space left.*ENOSPC"),
            scratch_file(filesystem.folder, free + 64 * MIB, "written") as file,
        ):
            file.fill()
        filesystem.remount()
        assert filesystem.has_back(free)

    def test_is_written_through_the_page_cache_where_there_is_no_direct_io(self):
        with scratch_file(Path("/dev/shm"), SIZE, "written") as file:
            file.fill()
            assert os.fstat(file.descriptor).st_size == SIZE

    def test_gets_a_name_for_a_moment_where_files_must_have_one(self, tmp_path, monkeypatch):
        real = os.open

        def without_unnamed_files(path, flags, *args, **kwargs):
            if flags & os.O_TMPFILE == os.O_TMPFILE:
                raise OSError(errno.EOPNOTSUPP, "")
            return real(path, flags, *args, **kwargs)

        monkeypatch.setattr(os, "open", without_unnamed_files)
        with scratch_file(tmp_path, SIZE, "written") as file:
            file.fill()
            assert list(tmp_path.iterdir()) == []
            assert os.fstat(file.descriptor).st_nlink == 0

    def test_says_where_when_the_folder_is_gone(self, tmp_path):
        gone = tmp_path / "gone"
        with (
            pytest.raises(EngineError, match=f"making a scratch file in {gone}: it is gone"),
            scratch_file(gone, MIB, "written"),
        ):
            pass

    def test_says_that_the_filesystem_is_read_only(self, on_disk):
        run("mount", "-o", "remount,ro", str(on_disk.folder))
        try:
            with pytest.raises(EngineError, match="read-only"), scratch_file(on_disk.folder, MIB, "written"):
                pass
        finally:
            run("mount", "-o", "remount,rw", str(on_disk.folder))


@each(
    ("number", "words"),
    [
        (errno.EIO, "the disk reported an error; look into the kernel's log (EIO)"),
        (errno.EDQUOT, "the quota is used up (EDQUOT)"),
        (errno.ENODEV, "the device is gone (ENODEV)"),
        (errno.ELOOP, "too many levels of symbolic links (ELOOP)"),
        (None, "the reason is not known"),
    ],
)
def test_what_the_kernel_refuses_is_told_with_its_name(number, words):
    assert str(because(number, "writing to /srv")) == f"while writing to /srv: {words}"


@pytest.mark.loop
@needs_loop_devices
def test_no_room_below_the_filesystem_is_told_though_it_has_room_itself(tmp_path):
    """A loop device whose image cannot grow, because the filesystem that it is on is full; thin pools do the same."""
    with mounted("tmpfs", tmp_path, megabytes=24) as small, mounted("ext4", small.folder) as filesystem:
        with (
            pytest.raises(EngineError, match=r"no space left on the filesystem, or on what it stands on \(ENOSPC\)"),
            scratch_file(filesystem.folder, 32 * MIB, "written") as file,
        ):
            file.fill()
        assert names_in(filesystem.folder) == set()


def test_holes_are_punched_and_refusals_told(tmp_path):
    with scratch_file(tmp_path, MIB, "preallocated") as file:
        file.fill()
        before = os.fstat(file.descriptor).st_blocks
        fallocate(file.descriptor, _PUNCH_HOLE | _KEEP_SIZE, 0, MIB // 2)
        assert os.fstat(file.descriptor).st_blocks < before
        with pytest.raises(OSError, match="Invalid argument"):
            fallocate(file.descriptor, 0, 0, -1)


@pytest.mark.parametrize("seed", few(range(18), 18))
def test_killed_at_random_moments_it_leaves_nothing_to_the_next_start(on_disk, seed):
    """A few moments each time; the seeds make them the same ones."""
    free = on_disk.free_bytes()
    moments = random.Random(seed)
    for _ in range(2):
        killed = subprocess.run(
            [sys.executable, "-c", KILLED, str(moments.uniform(0.005, 0.15)), on_disk.folder], cwd=ROOT
        )
        assert killed.returncode == -signal.SIGALRM
        assert all(name.startswith(scratch_record.PREFIX) for name in names_in(on_disk.folder))
        clear(on_disk.folder)
        assert names_in(on_disk.folder) == set()
    on_disk.remount()  # fails where a process still has a file open
    assert on_disk.has_back(free)
