"""The scratch folder with a name: whose it is, that it is gone afterwards, and that nothing else is ever taken away."""

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import subprocess
import sys
import uuid

import pytest

from fsadvisor.measure.probe import EngineError, own_engine, scratch_record
from fsadvisor.measure.probe.jobs import Metadata, Mix
from fsadvisor.measure.probe.processes import Stopped
from fsadvisor.measure.probe.scratch import tree
from fsadvisor.measure.probe.scratch_record import clear
from tests.paths import ROOT
from tests.probe.filesystems import names_in, needs_root

SMALL = {"mean_file_bytes": 4096, "append_bytes": 4096}


@contextlib.contextmanager
def locked(folder):
    """Another process holds its lock."""
    holder = subprocess.Popen(["flock", folder, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdin.write(b"held\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == b"held\n"
    yield
    holder.communicate()


def forget(place):
    """Take away the record of a tree that was moved, which stays."""
    (scratch_record.state_directory() / place.name).unlink()


def stop_with_a_file_in(place, error):
    (place / "file-0").write_text("x")
    raise error


def test_it_is_one_folder_that_only_its_owner_enters_and_is_gone_afterwards(tmp_path):
    with tree(tmp_path) as place:
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        (place / "d0").mkdir()
        (place / "d0" / "w0-000000").write_text("x")
    assert list(tmp_path.iterdir()) == []


def test_is_gone_after_an_error_and_after_ctrl_c(tmp_path):
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), tree(tmp_path) as place:
            stop_with_a_file_in(place, error)
        assert list(tmp_path.iterdir()) == []


def test_of_a_living_process_is_left_alone(tmp_path):
    with tree(tmp_path) as place:
        assert clear(tmp_path) == ()
        assert place.is_dir()


@pytest.mark.parametrize("name", [".fsadvisor-scratch-mine", ".fsadvisor-scratch-01234567-1-1"])
def test_what_only_has_such_a_name_as_those_of_older_versions_is_left_alone_and_told(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / "data").mkdir()
    assert clear(tmp_path) == (f"{tmp_path / name} is left alone: no record says that a probe made it; look into it",)
    with locked(tmp_path / name):  # by the probe of another container
        assert clear(tmp_path) == ()
    assert names_in(tmp_path) == {name, "data"}


def test_a_link_with_its_name_is_left_alone(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    (tmp_path / f"{scratch_record.PREFIX}01234567-1-1").symlink_to(outside)
    assert clear(tmp_path) == ()
    assert (outside / "kept").read_text() == "x"


@needs_root
def test_of_another_user_is_left_alone(tmp_path):
    left = tmp_path / f"{scratch_record.PREFIX}01234567-1-1"
    left.mkdir()
    os.chown(left, 65534, 65534)
    assert clear(tmp_path) == ()
    assert left.is_dir()


def test_what_somebody_has_put_in_its_place_meanwhile_is_left_alone_and_told(tmp_path):
    with pytest.raises(EngineError, match="something else is in its place"), tree(tmp_path) as place:  # noqa: PT012
        place.rename(tmp_path / "moved")
        place.mkdir()
        (place / "kept").write_text("x")
    assert (place / "kept").read_text() == "x"
    assert (tmp_path / "moved").is_dir()
    forget(place)


def test_what_is_written_into_it_goes_by_no_name_that_could_be_moved(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "w0-000000").write_text("x")
    (outside / "f000000").write_text("x")
    lives = Mix(steps=("create", "open", "append", "close", "delete"), threads=2, files=4, **SMALL)
    with pytest.raises(EngineError, match="something else is in its place"), tree(tmp_path) as place:  # noqa: PT012
        place.rename(tmp_path / "moved")
        place.symlink_to(outside)
        for folders in ("one", "each"):
            with own_engine.open_names(
                Metadata(operation="create", folders=folders, threads=2, files=4), tmp_path, None
            ) as one:
                assert one.window(0.01).operations > 0
        with own_engine.open_mix(lives, tmp_path, None) as one:
            assert one.window(0.05).operations > 0
    forget(place)
    assert names_in(outside) == {"w0-000000", "f000000"}
    assert [file.read_text() for file in outside.iterdir()] == ["x", "x"]


def test_by_another_name_of_its_folder_it_is_the_same_one(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    with tree(folder) as place:
        (place / "file-0").write_text("x")
        with tree(tmp_path / "link") as same:
            assert (same / "file-0").read_text() == "x"
        assert (place / "file-0").read_text() == "x"
    assert names_in(folder) == set()


def test_where_there_are_no_locks_there_is_one_without_a_record(tmp_path, monkeypatch):
    def without_locks(descriptor, operation):
        raise OSError(errno.ENOLCK, "")

    monkeypatch.setattr(fcntl, "flock", without_locks)
    with tree(tmp_path) as place:
        (place / "file-0").write_text("x")
        assert place.name not in scratch_record.names()
    assert list(tmp_path.iterdir()) == []


def test_clearing_a_folder_that_is_gone_says_nothing(tmp_path):
    assert clear(tmp_path / "gone") == ()


def test_a_folder_that_was_made_and_cannot_be_opened_does_not_stay(tmp_path):
    """One descriptor is left, for the directory that it is made in."""
    script = (
        "import os, resource, sys; from pathlib import Path; from fsadvisor.measure.probe.scratch import tree\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir('/proc/self/fd')),) * 2)\n"
        "try:\n with tree(Path(sys.argv[1])): pass\n"
        "except Exception as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert "EMFILE" in done.stdout, done.stderr
    assert names_in(tmp_path) == set()


def test_a_signal_that_is_heard_as_it_is_made_leaves_none(tmp_path, monkeypatch):
    make = os.mkdir

    def interrupted(path, *words, **more):
        make(path, *words, **more)
        if str(path).startswith(scratch_record.PREFIX):
            raise Stopped

    monkeypatch.setattr(os, "mkdir", interrupted)
    with pytest.raises(Stopped), tree(tmp_path):
        pass
    assert names_in(tmp_path) == set()


@pytest.mark.parametrize("synced", [0, 1, 2, 3])
def test_a_signal_that_is_heard_as_its_record_is_written_leaves_neither(tmp_path, monkeypatch, synced):
    """Each line is synced, and the directory after it, which takes most of that time."""
    sync, before = os.fsync, iter(range(synced))

    def interrupted(descriptor):
        sync(descriptor)
        if next(before, None) is None:
            raise Stopped

    token = uuid.uuid4().hex
    monkeypatch.setattr(secrets, "token_hex", lambda _: token)
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(Stopped), tree(tmp_path):
        pass
    assert names_in(tmp_path) == set()
    assert scratch_record.PREFIX + token not in scratch_record.names()
