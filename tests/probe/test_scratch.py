"""Scratch files and folders: what they hold, and that nothing of them stays."""

import contextlib
import errno
import fcntl
import os
import random
import signal
import stat
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from fsadvisor.probe import scratch_tree
from fsadvisor.probe.engine import EngineError
from fsadvisor.probe.job import Metadata, Mix
from fsadvisor.probe.own import mixing, names
from fsadvisor.probe.scratch import scratch_file
from fsadvisor.probe.scratch_tree import clear, own_name, tree
from fsadvisor.probe.space import KEEP_SIZE, PUNCH_HOLE, fallocate
from fsadvisor.probe.trouble import because
from tests.loops import needs_loop_devices, run
from tests.paths import ROOT
from tests.probe.filesystems import KINDS, ON_DISK, mounted, needs_root

MIB = 1 << 20
SIZE = 8 * MIB + 12345
SMALL = {"mean_file_bytes": 4096, "append_bytes": 4096}

KILLED = """
import signal, sys
from pathlib import Path
from fsadvisor.probe.scratch import scratch_file
from fsadvisor.probe.scratch_tree import tree
folder = Path(sys.argv[2])
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
while True:
    for synced in (False, True):
        with scratch_file(folder, 16 << 20, "written", synced=synced) as file:
            file.fill()
            file.empty()
    with tree(folder) as place:
        for number in range(50):
            (place / str(number)).mkdir()
            (place / str(number) / "file").write_bytes(b"x" * 5000)
"""
"""SIGALRM's default ends a process on the spot, as SIGKILL does, at a moment that needs no one to wait for it."""


def names_in(folder):
    return {entry.name for entry in folder.iterdir()} - {"lost+found"}


@contextlib.contextmanager
def locked(folder):
    """Another process holds its lock."""
    holder = subprocess.Popen(["flock", folder, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdin.write(b"held\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == b"held\n"
    yield
    holder.communicate()


def stop_with_a_file_in(place, error):
    (place / "file").write_text("x")
    raise error


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
        assert filesystem.free_bytes() >= free - MIB  # Btrfs keeps a little for its own trees

    def test_has_a_name_only_where_a_sync_would_do_something_else_without(self, on_disk):
        named = on_disk.kind not in ("ext4", "xfs")
        with (
            scratch_file(on_disk.folder, MIB, "written", synced=True) as one,
            scratch_file(on_disk.folder, MIB, "written", synced=True) as other,
        ):
            assert [os.fstat(it.descriptor).st_nlink for it in (one, other)] == [named, named]
            assert names_in(on_disk.folder) == ({own_name()} if named else set())
        assert names_in(on_disk.folder) == set()

    def test_written_has_every_block_and_nothing_to_compress_or_to_share(self, filesystem):
        with scratch_file(filesystem.folder, SIZE, "written") as file:
            file.fill()
            content = os.pread(file.descriptor, SIZE + 1, 0)
            assert len(content) == SIZE
            assert os.fstat(file.descriptor).st_blocks * 512 >= SIZE - 4096
        assert len(zlib.compress(content, 1)) > 0.99 * SIZE
        blocks = [content[at : at + 4096] for at in range(0, SIZE, 4096)]
        assert len(set(blocks)) == len(blocks)

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
            pytest.raises(EngineError, match=r"preparing the scratch file in /.*no room left.*ENOSPC"),
            scratch_file(filesystem.folder, free + 64 * MIB, "written") as file,
        ):
            file.fill()
        filesystem.remount()
        assert filesystem.free_bytes() >= free - MIB

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


@pytest.mark.parametrize(
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
            pytest.raises(EngineError, match=r"no room left on the filesystem, or on what it stands on \(ENOSPC\)"),
            scratch_file(filesystem.folder, 32 * MIB, "written") as file,
        ):
            file.fill()
        assert names_in(filesystem.folder) == set()


def test_holes_are_punched_and_refusals_told(tmp_path):
    with scratch_file(tmp_path, MIB, "preallocated") as file:
        file.fill()
        before = os.fstat(file.descriptor).st_blocks
        fallocate(file.descriptor, PUNCH_HOLE | KEEP_SIZE, 0, MIB // 2)
        assert os.fstat(file.descriptor).st_blocks < before
        with pytest.raises(OSError, match="Invalid argument"):
            fallocate(file.descriptor, 0, 0, -1)


class TestTree:
    def test_is_one_folder_that_only_its_owner_enters_and_is_gone_afterwards(self, tmp_path):
        with tree(tmp_path) as place:
            assert place.name == own_name()
            assert stat.S_IMODE(place.stat().st_mode) == 0o700
            (place / "a" / "b").mkdir(parents=True)
            (place / "a" / "b" / "file").write_text("x")
        assert list(tmp_path.iterdir()) == []

    def test_is_gone_after_an_error_and_after_ctrl_c(self, tmp_path):
        for error in (ValueError, KeyboardInterrupt):
            with pytest.raises(error), tree(tmp_path) as place:
                stop_with_a_file_in(place, error)
            assert list(tmp_path.iterdir()) == []

    def test_of_a_living_process_is_left_alone(self, tmp_path):
        with tree(tmp_path) as place:
            assert clear(tmp_path) == ()
            assert place.is_dir()

    def test_of_another_boot_is_taken_away_unless_somebody_holds_its_lock(self, tmp_path):
        other = tmp_path / f"{scratch_tree.PREFIX}01234567-{os.getpid()}-1"
        other.mkdir()
        with locked(other):
            assert clear(tmp_path) == ()
        assert clear(tmp_path) == (f"took away {other}, left by a killed probe",)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("start", ["1", "99999999999999"])
    def test_of_a_process_whose_number_was_given_again_is_taken_away(self, tmp_path, start):
        (tmp_path / (own_name().rpartition("-")[0] + f"-{start}")).mkdir()
        assert len(clear(tmp_path)) == 1
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", [".fsadvisor-scratch-mine", ".fsadvisor-scratch-0123456g-1-1", "data"])
    def test_does_not_take_what_only_looks_like_one(self, tmp_path, name):
        (tmp_path / name).mkdir()
        assert clear(tmp_path) == ()
        assert (tmp_path / name).is_dir()

    def test_links_in_it_are_taken_away_and_not_followed(self, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "kept").write_text("x")
        left = tmp_path / "target" / f"{scratch_tree.PREFIX}01234567-1-1"
        left.mkdir(parents=True)
        (left / "folder").symlink_to(outside)
        (left / "file").symlink_to(outside / "kept")
        assert len(clear(left.parent)) == 1
        assert not left.exists()
        assert (outside / "kept").read_text() == "x"

    def test_a_link_with_its_name_is_left_alone(self, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "kept").write_text("x")
        (tmp_path / f"{scratch_tree.PREFIX}01234567-1-1").symlink_to(outside)
        assert clear(tmp_path) == ()
        assert (outside / "kept").read_text() == "x"

    @needs_root
    def test_a_mount_in_it_is_not_entered_even_of_the_same_filesystem(self, tmp_path):
        kept = tmp_path / "kept"
        kept.mkdir()
        (kept / "file").write_text("x")
        left = tmp_path / f"{scratch_tree.PREFIX}01234567-1-1"
        (left / "mount").mkdir(parents=True)
        run("mount", "--bind", str(kept), str(left / "mount"))
        try:
            (said,) = clear(tmp_path)
            assert "could not be taken away" in said
            assert (kept / "file").read_text() == "x"
        finally:
            run("umount", str(left / "mount"))
        assert len(clear(tmp_path)) == 1
        assert not left.exists()

    @needs_root
    def test_of_another_user_is_left_alone(self, tmp_path):
        left = tmp_path / f"{scratch_tree.PREFIX}01234567-1-1"
        left.mkdir()
        os.chown(left, 65534, 65534)
        assert clear(tmp_path) == ()
        assert left.is_dir()

    @needs_root
    def test_what_another_user_has_put_at_its_name_is_left_alone_and_told(self, tmp_path):
        foreseen = tmp_path / own_name()
        foreseen.mkdir()
        (foreseen / "kept").write_text("x")
        os.chown(foreseen, 65534, 65534)
        with pytest.raises(EngineError, match="making the scratch folder"), tree(tmp_path):
            pass
        assert (foreseen / "kept").read_text() == "x"

    def test_a_link_at_its_name_is_neither_followed_nor_taken_away(self, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "kept").write_text("x")
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / own_name()).symlink_to(outside)
        with pytest.raises(EngineError, match="making the scratch folder"), tree(folder):
            pass
        assert (folder / own_name()).is_symlink()
        assert names_in(outside) == {"kept"}

    def test_one_of_ours_that_another_process_has_locked_is_left_alone(self, tmp_path):
        other = tmp_path / own_name()
        other.mkdir()
        with locked(other):
            with pytest.raises(EngineError, match="making the scratch folder"), tree(tmp_path):
                pass
            assert other.is_dir()
        with tree(tmp_path):
            pass
        assert names_in(tmp_path) == set()

    def test_what_somebody_has_put_in_its_place_meanwhile_is_left_alone_and_told(self, tmp_path):
        with pytest.raises(EngineError, match="something else is in its place"), tree(tmp_path) as place:  # noqa: PT012
            place.rename(tmp_path / "moved")
            place.mkdir()
            (place / "kept").write_text("x")
        assert (place / "kept").read_text() == "x"
        assert (tmp_path / "moved").is_dir()

    def test_what_is_written_into_it_goes_by_no_name_that_could_be_moved(self, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "w0-000000").write_text("x")
        (outside / "f000000").write_text("x")
        lives = Mix(steps=("create", "open", "append", "close", "delete"), threads=2, files=4, **SMALL)
        with pytest.raises(EngineError, match="something else is in its place"), tree(tmp_path) as place:  # noqa: PT012
            place.rename(tmp_path / "moved")
            place.symlink_to(outside)
            for folders in ("one", "each"):
                with names.opened(
                    Metadata(operation="create", folders=folders, threads=2, files=4), tmp_path, ()
                ) as one:
                    assert one.window(0.01).operations >= 4
            with mixing.opened(lives, tmp_path, ()) as one:
                assert one.window(0.05).operations > 0
        assert names_in(outside) == {"w0-000000", "f000000"}
        assert [file.read_text() for file in outside.iterdir()] == ["x", "x"]

    def test_by_another_name_of_its_folder_it_is_the_same_one(self, tmp_path):
        folder = tmp_path / "folder"
        folder.mkdir()
        (tmp_path / "link").symlink_to(folder)
        with tree(folder) as place:
            (place / "kept").write_text("x")
            with tree(tmp_path / "link") as same:
                assert (same / "kept").read_text() == "x"
            assert (place / "kept").read_text() == "x"
        assert names_in(folder) == set()

    def test_where_there_are_no_locks_one_that_is_left_stays_and_is_told(self, tmp_path, monkeypatch):
        left = tmp_path / f"{scratch_tree.PREFIX}01234567-1-1"
        left.mkdir()

        def without_locks(descriptor, operation):
            raise OSError(errno.ENOLCK, "")

        monkeypatch.setattr(fcntl, "flock", without_locks)
        (said,) = clear(tmp_path)
        assert said == f"{left} stays: whether a probe still uses it cannot be told there; if none runs, remove it"
        assert left.is_dir()

    def test_clearing_a_folder_that_is_gone_says_nothing(self, tmp_path):
        assert clear(tmp_path / "gone") == ()


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_random_moments_it_leaves_nothing_to_the_next_start(on_disk, seed):
    """A few moments each time; the seeds make them the same ones."""
    free = on_disk.free_bytes()
    moments = random.Random(seed)
    for _ in range(4):
        killed = subprocess.run(
            [sys.executable, "-c", KILLED, str(moments.uniform(0.005, 0.15)), on_disk.folder], cwd=ROOT
        )
        assert killed.returncode == -signal.SIGALRM
        assert all(name.startswith(scratch_tree.PREFIX) for name in names_in(on_disk.folder))
        clear(on_disk.folder)
        assert names_in(on_disk.folder) == set()
    on_disk.remount()  # fails where a process still has a file open
    assert on_disk.free_bytes() >= free - MIB


def test_a_folder_that_was_made_and_cannot_be_opened_does_not_stay(tmp_path):
    """No descriptor is left but those that are open already."""
    script = (
        "import os, resource, sys; from pathlib import Path; from fsadvisor.probe import scratch_tree\n"
        "scratch_tree.own_name()\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir('/proc/self/fd')) - 1,) * 2)\n"
        "place = Path(sys.argv[1]) / (scratch_tree.PREFIX + '01234567-1-1')\n"
        "try: scratch_tree._made(place)\n"
        "except Exception as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert "EMFILE" in done.stdout, done.stderr
    assert names_in(tmp_path) == set()
