"""A file is rewritten in the directory that was opened, and nothing of anybody else's is taken away or written over."""

import os
import re
import resource
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fsadvisor.machine import safe_files
from fsadvisor.machine.port import MachineError
from tests.paths import ROOT
from tests.probe.filesystems import needs_root

LEFT = ".kept.json.fsadvisor-0a1b2c3d"


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


@pytest.mark.parametrize("failed", ["b" * 300, "a/c/" + "b" * 300, "a/b/c"])
def test_a_tree_of_which_a_file_cannot_be_written_is_not_there(failed, tmp_path):
    files = [("a/b", b"1", safe_files.PRIVATE), ("a/d/e/f", b"2", safe_files.PRIVATE), (failed, b"3", 0o600)]
    (tmp_path / "empty").mkdir()
    for folder in ("new", "empty"):
        with pytest.raises(MachineError):
            safe_files.write_tree(tmp_path / folder, files)
    assert [*tmp_path.rglob("*")] == [tmp_path / "empty"]


def test_a_tree_that_is_broken_off_is_not_there(tmp_path):
    files = [("a/b", b"1", safe_files.PRIVATE), ("a/c", None, safe_files.PRIVATE)]
    with pytest.raises(TypeError):
        safe_files.write_tree(tmp_path / "new", files)
    assert not [*tmp_path.iterdir()]


def test_writers_wait_for_each_other_and_leave_no_lock(tmp_path):
    threads = [threading.Thread(target=rewrite, args=(tmp_path, lambda was: was + b".")) for _ in range(16)]
    for thread in threads:
        thread.start()
    rewrite(tmp_path, lambda was: was + b".")
    for thread in threads:
        thread.join()
    assert contents(tmp_path) == {"kept.json": "." * 17}


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_rewritten_with_its_mode_from_what_it_was(tmp_path):
    seen = []
    for wanted in (safe_files.PUBLIC, safe_files.PRIVATE):
        safe_files.rewrite(tmp_path / "x", lambda was: seen.append(was) or b"new", 9, wanted)
        assert mode(tmp_path / "x") == wanted
    assert seen == [b"", b"new"]
    assert (safe_files.PUBLIC, safe_files.PRIVATE) == (0o644, 0o600)


def test_of_a_new_file_that_cannot_be_written_whole_nothing_stays(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        with pytest.raises(MachineError, match="File too large"):
            safe_files.write_new(tmp_path / "x", b"more than one")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert contents(tmp_path) == {}


def test_what_others_may_change_is_named_by_its_path_without_dots(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "x").touch()
    (tmp_path / "x").chmod(0o666)
    why = f"not believed, for {tmp_path}/x may be changed by everybody"
    assert safe_files.distrusted(tmp_path / "folder" / ".." / "x") == why


def test_a_new_file_goes_into_the_directory_that_was_named(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    safe_files.write_new(tmp_path / "link" / ".." / "link" / "commands.txt", b"true\n")
    assert (tmp_path / "folder" / "commands.txt").read_bytes() == b"true\n"


def test_no_call_leaves_a_descriptor_open(tmp_path):
    before = len(list(Path("/proc/self/fd").iterdir()))
    rewrite(tmp_path)
    rewrite(tmp_path)
    safe_files.read(tmp_path / "kept.json", 9)
    safe_files.distrusted(tmp_path / "kept.json")
    safe_files.write_tree(tmp_path / "tree", [("a/b/c", b"x", 0o644)])
    with pytest.raises(MachineError):
        safe_files.write_new(tmp_path / "absent" / "x", b"")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_lock_that_another_has_is_waited_for_or_refused_and_stays(tmp_path):
    folder = safe_files.directory(tmp_path)
    held = safe_files.locked(folder, "lock", wait=False)
    with pytest.raises(BlockingIOError):
        safe_files.locked(folder, "lock", wait=False)
    assert (tmp_path / "lock").exists()
    os.close(held)
    os.close(safe_files.locked(folder, "lock", wait=False))
    os.close(folder)


def test_a_name_that_is_taken_is_told_before_and_a_free_one_is_not(tmp_path):
    safe_files.may_be_new(tmp_path / "x")
    (tmp_path / "x").write_text("x")
    with pytest.raises(MachineError, match="is there already"):
        safe_files.may_be_new(tmp_path / "x")


def test_a_file_is_read_up_to_the_most_that_was_asked_for(tmp_path):
    (tmp_path / "x").write_bytes(b"123")
    assert safe_files.read(tmp_path / "x", 3) == b"123"
    with pytest.raises(MachineError, match="more than 0 MiB"):
        safe_files.read(tmp_path / "x", 2)
    assert safe_files.read(tmp_path / "absent", 3) is None


def test_forty_links_are_followed_and_no_more(tmp_path):
    (tmp_path / "0").write_text("x")
    for number in range(41):
        (tmp_path / str(number + 1)).symlink_to(str(number))
    assert safe_files.read(tmp_path / "40", 1) == b"x"
    with pytest.raises(MachineError, match="Too many levels"):
        safe_files.read(tmp_path / "41", 1)
    assert safe_files.distrusted(tmp_path / "absent") == safe_files.distrusted(tmp_path / "a\0b") == ""


def test_only_of_a_directory_does_a_sticky_bit_count(tmp_path):
    (tmp_path / "x").write_text("x")
    (tmp_path / "x").chmod(0o1666)
    assert "may be changed by everybody" in safe_files.distrusted(tmp_path / "x")


OURS = re.compile(r"w-\d")


@needs_root
def test_only_files_of_ours_make_room_for_another(tmp_path):
    (tmp_path / "w-1").mkdir()
    (tmp_path / "w-2").symlink_to("other")
    for name in ("w-3", "w-4", "w-more", "other"):
        (tmp_path / name).write_bytes(b"12345")
    os.chown(tmp_path / "w-3", 12345, 12345)
    safe_files.write_among(tmp_path / "w-5", b"12345", OURS, 9)
    assert {path.name for path in tmp_path.iterdir()} == {"w-1", "w-2", "w-3", "w-more", "other", "w-5"}


def test_of_files_of_a_kind_the_first_make_room_and_no_more_of_them(tmp_path):
    for name in ("w-1", "w-2", "w-3", "other"):
        (tmp_path / name).write_bytes(b"12345")
    safe_files.write_among(tmp_path / "w-4", b"12345", OURS, 15)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == dict.fromkeys(
        ("other", "w-2", "w-3", "w-4"), b"12345"
    )
    safe_files.write_among(tmp_path / "w-5", b"1", OURS, 16)
    assert {path.name for path in tmp_path.iterdir()} == {"other", "w-2", "w-3", "w-4", "w-5"}


@pytest.mark.parametrize(
    ("modes", "directories"), [([0o600, 0o600], 0o700), ([0o600, safe_files.PUBLIC], 0o755), ([0o640], 0o755)]
)
def test_the_directories_of_files_that_are_their_owners_alone_are_so_too(tmp_path, modes, directories):
    safe_files.write_tree(tmp_path / "tree", [(f"below/{at}", b"x", mode) for at, mode in enumerate(modes)])
    assert safe_files.PUBLIC == 0o644
    assert [path.stat().st_mode & 0o777 for path in sorted((tmp_path / "tree/below").iterdir())] == modes
    assert {(tmp_path / "tree" / below).stat().st_mode & 0o777 for below in (".", "below")} == {directories}


def test_what_is_rewritten_is_told_what_was_there(tmp_path):
    told = []
    for content in (b"1", b"2"):
        safe_files.rewrite(tmp_path / "file", lambda was, content=content: told.append(was) or content, 9, 0o600)
    assert told == [b"", b"1"]
    assert (tmp_path / "file").read_bytes() == b"2"


def test_two_dots_and_a_link_from_the_root_lead_where_the_kernel_goes(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b")
    safe_files.write_new(tmp_path / "link" / ".." / "file", b"x")
    assert (tmp_path / "a" / "file").read_bytes() == b"x"
    assert safe_files.read(tmp_path / "link/../file", 9) == b"x"


def test_a_directory_that_everybody_may_write_to_is_none_of_ours_however_sticky(tmp_path):
    tmp_path.chmod(0o1777)
    with pytest.raises(MachineError, match="may be changed by everybody"):
        os.close(safe_files.directory(tmp_path))


@needs_root
@pytest.mark.namespaces
def test_where_there_is_no_room_the_advice_is_to_make_some(tmp_path):
    write = "import sys, pathlib; from fsadvisor.machine import safe_files; "
    write += "safe_files.rewrite(pathlib.Path(sys.argv[1]), lambda _: bytes(99999), 9, 0o600, 'run as root')"
    mounted = f'mount -t tmpfs -o size=16k tmpfs {tmp_path}; exec {sys.executable} -c "$1" {tmp_path}/file'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", mounted, "sh", write], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr.endswith("/file: No space left on device; free some space there\n")
