"""The file that remembers what was last seen."""

import gzip
import os
from pathlib import Path

import pytest

from fsadvisor.machine import kept_files
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.safe_files import write_new


def test_it_stands_beside_the_results_of_probes():
    assert kept_files.seen_path(root=True, environment={}) == Path("/var/lib/fsadvisor/seen.json.gz")
    own = kept_files.seen_path(root=False, environment={"XDG_STATE_HOME": "/home/me/state"})
    assert own == Path("/home/me/state/fsadvisor/seen.json.gz")
    assert kept_files.seen_path(root=False, environment={}) is None


def test_what_is_written_is_read_by_nobody_else(tmp_path):
    file = tmp_path / "new" / "seen.json.gz"
    assert kept_files.write_seen(file, b"what was seen")
    assert kept_files.read_seen(file) == b"what was seen"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert kept_files.write_seen(file, b"another")
    assert kept_files.read_seen(file) == b"another"
    assert list(file.parent.iterdir()) == [file]


def test_what_is_no_such_file_reads_as_nothing(tmp_path):
    file = tmp_path / "seen.json.gz"
    assert kept_files.read_seen(file) == b""
    file.write_bytes(b"no gzip")
    assert kept_files.read_seen(file) == b""
    file.write_bytes(gzip.compress(b"cut short" * 100)[:-9])
    assert kept_files.read_seen(file) == b""
    file.unlink()
    os.mkfifo(file)
    assert kept_files.read_seen(file) == b""


def test_what_is_too_long_is_not_kept_and_what_is_there_stays(tmp_path):
    file = tmp_path / "seen.json.gz"
    kept_files.write_seen(file, b"short")
    assert not kept_files.write_seen(file, os.urandom(kept_files.MOST_SEEN_BYTES + 1))
    assert kept_files.read_seen(file) == b"short"


def test_where_it_cannot_be_written_it_is_not_kept(tmp_path):
    (tmp_path / "file").write_text("")
    assert not kept_files.write_seen(tmp_path / "file" / "seen.json.gz", b"x")


def test_a_new_file_is_made_and_never_written_over(tmp_path):
    file = tmp_path / "commands.txt"
    write_new(file, b"true\n")
    assert file.read_bytes() == b"true\n"
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(MachineError, match="is there already"):
        write_new(file, b"false\n")
    assert file.read_bytes() == b"true\n"


def test_a_link_is_not_followed_and_what_can_not_be_says_why(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MachineError, match="is there already"):
        write_new(tmp_path / "link", b"")
    with pytest.raises(MachineError, match="No such file"):
        write_new(tmp_path / "no" / "folder", b"")
    with pytest.raises(MachineError):
        write_new(Path("nul\0"), b"")
    assert not (tmp_path / "elsewhere").exists()
