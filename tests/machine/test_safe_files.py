"""A file is rewritten in the directory that was opened, and nothing of anybody else's is taken away or written over."""

import os
import threading

import pytest

from fsadvisor.machine import safe_files
from fsadvisor.machine.port import MachineError
from tests.probe.filesystems import needs_root

LEFT = ".kept.json.0a1b2c3d"


def rewrite(folder, change=lambda _: b"new"):
    safe_files.rewrite(folder / "kept.json", change, 1 << 20, safe_files.PRIVATE)


def contents(folder):
    return {one.name: one.read_text() for one in folder.iterdir()}


def test_what_a_killed_writer_left_is_taken_away(tmp_path):
    (tmp_path / LEFT).write_text("half")
    rewrite(tmp_path)
    assert contents(tmp_path) == {"kept.json": "new"}


@needs_root
def test_what_another_user_keeps_under_such_a_name_stays(tmp_path):
    (tmp_path / LEFT).write_text("theirs")
    os.chown(tmp_path / LEFT, 65534, 65534)
    rewrite(tmp_path)
    assert (tmp_path / LEFT).read_text() == "theirs"


def test_a_link_and_a_directory_under_such_a_name_stay(tmp_path):
    (tmp_path / "elsewhere").write_text("theirs")
    (tmp_path / LEFT).symlink_to(tmp_path / "elsewhere")
    (tmp_path / LEFT.replace("0", "f")).mkdir()
    rewrite(tmp_path)
    assert (tmp_path / LEFT).is_symlink()
    assert (tmp_path / LEFT.replace("0", "f")).is_dir()


def test_where_the_directory_s_name_leads_elsewhere_meanwhile_nothing_is_written_there(tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    (theirs / "kept.json").write_text("theirs")
    (theirs / LEFT).write_text("theirs")

    def change(_):
        ours.rename(tmp_path / "moved")
        ours.symlink_to(theirs)
        return b"new"

    rewrite(ours, change)
    assert contents(theirs) == {"kept.json": "theirs", LEFT: "theirs"}
    assert contents(tmp_path / "moved") == {"kept.json": "new"}


def test_what_cannot_be_put_in_place_leaves_no_half_of_it(tmp_path):
    with pytest.raises(MachineError, match="Is a directory"):
        rewrite(tmp_path, lambda _: (tmp_path / "kept.json").mkdir() or b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]


def test_writers_wait_for_each_other_and_leave_no_lock(tmp_path):
    threads = [threading.Thread(target=rewrite, args=(tmp_path, lambda was: was + b".")) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert contents(tmp_path) == {"kept.json": "." * 16}


def test_a_new_file_goes_into_the_directory_that_was_named(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    safe_files.write_new(tmp_path / "link" / ".." / "link" / "commands.txt", b"true\n")
    assert (tmp_path / "folder" / "commands.txt").read_bytes() == b"true\n"
