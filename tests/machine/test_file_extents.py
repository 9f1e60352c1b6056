"""How files lie on disk, against filefrag and on real filesystems."""

import json
import os
import re

import pytest

from fsadvisor.facts import Cause
from fsadvisor.machine import inodes
from fsadvisor.machine.live import LiveMachine
from tests.loops import loops, needs_loop_devices, run


def told(folder):
    return json.loads(LiveMachine().extents(str(folder)).text)


def write_at(path, offsets, size=4096):
    """Each on its own: what is written at once lies side by side."""
    with path.open("r+b" if path.exists() else "wb", buffering=0) as file:
        for offset in offsets:
            file.seek(offset)
            file.write(os.urandom(size))
            os.fsync(file.fileno())


def test_links_devices_and_fifos_are_passed_over(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    assert told(tmp_path) == {"whole": True, "largest_folder": 3, "files": []}


def test_a_folder_that_is_not_there_or_is_a_file_has_no_extents(tmp_path):
    (tmp_path / "file").write_text("x")
    assert LiveMachine().extents(str(tmp_path / "gone")).cause is Cause.NOT_EXPOSED
    assert LiveMachine().extents("/no\0path").cause is Cause.NOT_EXPOSED
    assert told(tmp_path / "file")["files"] == []


def test_only_the_largest_files_are_looked_at_and_none_by_name(tmp_path):
    for size in range(20):
        (tmp_path / f"secret{size}").write_bytes(b"x" * size)
    answer = LiveMachine().extents(str(tmp_path)).text
    assert "secret" not in answer
    assert json.loads(answer)["largest_folder"] == 20
    assert [file["bytes"] for file in json.loads(answer)["files"]] in ([19, 18, 17, 16, 15, 14, 13, 12], [])


def test_a_folder_with_more_names_than_the_bound_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(inodes, "MOST_NAMES", 5)
    for number in range(9):
        (tmp_path / f"{number}").mkdir()
    assert told(tmp_path) == {"whole": False, "largest_folder": 5, "files": []}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    with loops(tmp_path_factory.mktemp("extents")) as loop:
        ext4, btrfs = loop.device("e", 64), loop.device("b", 160)
        run("mkfs.ext4", "-q", ext4)
        run("mkfs.btrfs", "-q", btrfs)
        places = {"ext4": loop.mount(ext4, "ext4"), "btrfs": loop.mount(btrfs, "btrfs", "compress-force=zstd")}
        yield {kind: loop.folder / place for kind, place in places.items()}


def filefrag(path):
    return int(re.search(r": (\d+) extents? found", run("filefrag", str(path)))[1])


@pytest.mark.loop
@needs_loop_devices
def test_an_ext4_files_extents_are_those_of_filefrag(places):
    folder = places["ext4"] / "one"
    folder.mkdir()
    write_at(folder / "file", range(0, 4 << 20, 1 << 16))
    (file,) = told(folder)["files"]
    assert file["extents"] == filefrag(folder / "file") > 1
    assert file["mapped_bytes"] == 64 * 4096
    assert file["whole"] is True
    assert file["encoded"] == file["unwritten"] == file["shared"] == 0


@pytest.mark.loop
@needs_loop_devices
def test_extents_beyond_the_bound_are_left_out_aloud(places, monkeypatch):
    monkeypatch.setattr(inodes, "MOST_EXTENTS", 10)
    folder = places["ext4"] / "many"
    folder.mkdir()
    with (folder / "file").open("wb", buffering=0) as written:
        for offset in range(0, 64 << 20, 1 << 16):
            written.seek(offset)
            written.write(bytes(4096))
        os.fsync(written.fileno())
    (file,) = told(folder)["files"]
    assert file["whole"] is False
    assert file["mapped_bytes"] == 512 * 4096


@pytest.mark.loop
@needs_loop_devices
def test_room_allocated_ahead_is_unwritten(places):
    folder = places["ext4"] / "ahead"
    folder.mkdir()
    with (folder / "file").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 1 << 20)
    (file,) = told(folder)["files"]
    assert file["unwritten"] >= 1
    assert file["mapped_bytes"] == 1 << 20


@pytest.mark.loop
@needs_loop_devices
def test_compressed_and_shared_extents_of_btrfs_are_told(places):
    folder = places["btrfs"] / "one"
    folder.mkdir()
    (folder / "file").write_bytes(b"x" * (1 << 20))
    run("sync", "-f", str(folder))
    run("cp", "--reflink=always", str(folder / "file"), str(folder / "clone"))
    files = told(folder)["files"]
    assert [file["encoded"] for file in files] == [8, 8]
    assert [file["shared"] for file in files] == [8, 8]


@pytest.mark.loop
@needs_loop_devices
def test_other_filesystems_below_are_not_entered(places):
    assert told(places["ext4"].parent)["largest_folder"] < 10
