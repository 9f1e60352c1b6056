"""A file is rewritten in the folder that was locked, and nothing of anybody else's is taken away or written over."""

import os

import pytest

from fsadvisor.machine import rewriting
from fsadvisor.machine.new_file import write_new
from fsadvisor.machine.writing import _Writing
from tests.probe.filesystems import needs_root

LEFT = ".kept.json.0a1b2c3d"


def rewrite(folder, content=b"new"):
    with rewriting.locked(folder) as opened:
        rewriting.replace(opened, "kept.json", content, 0o600)


def test_what_a_killed_writer_left_is_taken_away(tmp_path):
    (tmp_path / LEFT).write_text("half")
    rewrite(tmp_path)
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"kept.json": "new"}


@needs_root
def test_what_another_user_keeps_under_such_a_name_stays(tmp_path):
    (tmp_path / LEFT).write_text("theirs")
    os.chown(tmp_path / LEFT, 65534, 65534)
    rewrite(tmp_path)
    assert (tmp_path / LEFT).read_text() == "theirs"


def test_a_link_and_a_folder_under_such_a_name_stay(tmp_path):
    (tmp_path / "elsewhere").write_text("theirs")
    (tmp_path / LEFT).symlink_to(tmp_path / "elsewhere")
    (tmp_path / LEFT.replace("0", "f")).mkdir()
    rewrite(tmp_path)
    assert (tmp_path / LEFT).is_symlink()
    assert (tmp_path / LEFT.replace("0", "f")).is_dir()


def test_where_the_folder_s_name_leads_elsewhere_meanwhile_nothing_is_written_there(tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    (theirs / "kept.json").write_text("theirs")
    (theirs / LEFT).write_text("theirs")
    with rewriting.locked(ours) as opened:
        ours.rename(tmp_path / "moved")
        ours.symlink_to(theirs)
        rewriting.replace(opened, "kept.json", b"new", 0o600)
    assert {one.name: one.read_text() for one in theirs.iterdir()} == {"kept.json": "theirs", LEFT: "theirs"}
    assert (tmp_path / "moved" / "kept.json").read_text() == "new"


def test_what_cannot_be_put_in_place_leaves_no_half_of_it(tmp_path):
    (tmp_path / "kept.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        rewrite(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]


def test_a_recording_is_written_into_no_folder_that_a_link_leads_to(tmp_path):
    recorded, theirs = tmp_path / "recorded", tmp_path / "theirs"
    recorded.mkdir()
    theirs.mkdir()
    folder = os.open(recorded, os.O_RDONLY)
    (recorded / "proc").symlink_to(theirs)
    writing = _Writing(folder, Unreplaced())
    with pytest.raises(OSError, match=r"directory|links"):
        writing._write_file("proc/mounts", "x")
    writing._write_file("title", "x")
    os.close(folder)
    assert list(theirs.iterdir()) == []
    assert (recorded / "title").read_text() == "x"


class Unreplaced:
    def replace(self, text, *_):
        return text


def test_a_new_file_goes_into_the_folder_that_was_named(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    write_new(tmp_path / "link" / "commands.txt", b"true\n")
    assert (tmp_path / "folder" / "commands.txt").read_bytes() == b"true\n"
