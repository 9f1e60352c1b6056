"""The file that remembers what was last seen."""

import gzip
import os
from pathlib import Path

import pytest

from fsadvisor.machine import seen_file
from fsadvisor.machine.error import MachineError
from fsadvisor.machine.safe_files import write_new


def test_it_stands_beside_the_results_of_probes():
    assert seen_file.path(root=True, environment={}) == Path("/var/lib/fsadvisor/seen.json.gz")
    own = seen_file.path(root=False, environment={"XDG_STATE_HOME": "/home/me/state"})
    assert own == Path("/home/me/state/fsadvisor/seen.json.gz")
    assert seen_file.path(root=False, environment={}) is None


def test_what_is_written_is_read_by_nobody_else(tmp_path):
    file = tmp_path / "new" / "seen.json.gz"
    assert seen_file.write(file, b"what was seen")
    assert seen_file.read(file) == b"what was seen"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert seen_file.write(file, b"another")
    assert seen_file.read(file) == b"another"
    assert list(file.parent.iterdir()) == [file]


def test_what_is_no_such_file_reads_as_nothing(tmp_path):
    file = tmp_path / "seen.json.gz"
    assert seen_file.read(file) == b""
    file.write_bytes(b"no gzip")
    assert seen_file.read(file) == b""
    file.write_bytes(gzip.compress(b"cut short" * 100)[:-9])
    assert seen_file.read(file) == b""
    file.unlink()
    os.mkfifo(file)
    assert seen_file.read(file) == b""


def test_what_is_too_long_is_not_kept_and_what_is_there_stays(tmp_path):
    file = tmp_path / "seen.json.gz"
    seen_file.write(file, b"short")
    assert not seen_file.write(file, os.urandom(seen_file.MOST_BYTES + 1))
    assert seen_file.read(file) == b"short"


def test_where_it_cannot_be_written_it_is_not_kept(tmp_path):
    (tmp_path / "file").write_text("")
    assert not seen_file.write(tmp_path / "file" / "seen.json.gz", b"x")


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
