"""fstab with other options: what is meant changes, every other byte stays, and libmount reads it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsadvisor.facts import Unknown
from fsadvisor.plan import UnfitError
from fsadvisor.plan.fstab_patch import Wish, diff, edit, edited, escape, with_options
from fsadvisor.readers import mount_tables
from tests.cases import each
from tests.plan.composed import FSTAB, TEXTS, planned, server

NOATIME = ("noatime",), ("relatime", "atime")


def wish(mount, add=(), remove=()):
    return Wish(mount, tuple(add), tuple(remove))


@each(
    ("line", "add", "remove", "after"),
    [
        ("/dev/a /srv ext4 defaults 0 2", ["noatime"], [], "/dev/a /srv ext4 defaults,noatime 0 2"),
        ("/dev/a\t/srv \text4  nobarrier\t0 2", [], ["nobarrier"], "/dev/a\t/srv \text4  defaults\t0 2"),
        ("/dev/a /srv ext4 rw,nobarrier,nodev", [], ["nobarrier", "barrier=0"], "/dev/a /srv ext4 rw,nodev"),
        ("/dev/a /srv xfs logbsize=32k 0 0", ["logbsize=256k"], [], "/dev/a /srv xfs logbsize=256k 0 0"),
        ("/dev/a /srv ext4", ["noatime"], [], "/dev/a /srv ext4 noatime"),
        ("  /dev/a /srv ext4 noatime,noatime", ["noatime"], ["relatime"], "  /dev/a /srv ext4 noatime,noatime"),
        ("/dev/a /srv ext4 relatime 0 2 # why", *NOATIME, "/dev/a /srv ext4 noatime 0 2 # why"),
        ('/dev/a /srv ext4 context="a,b",atime 0 2', *NOATIME, '/dev/a /srv ext4 context="a,b",noatime 0 2'),
        ("a /srv overlay lowerdir=/x\\040y,atime 0 0", *NOATIME, "a /srv overlay lowerdir=/x\\040y,noatime 0 0"),
        ("/dev/a /srv ext4 atime 0 2\r", *NOATIME, "/dev/a /srv ext4 noatime 0 2\r"),
        ("/dev/a /srv ext4 x=a=b 0 2", ["x=c"], [], "/dev/a /srv ext4 x=c 0 2"),
        ("/dev/a /srv ext4 x=a 0 2", ["x=c=d"], [], "/dev/a /srv ext4 x=c=d 0 2"),
        ("/dev/a /srv ext4 x=a,ro 0 2", ["x=a"], [], "/dev/a /srv ext4 x=a,ro 0 2"),
    ],
)
def test_the_options_of_a_line_change_and_nothing_else(line, add, remove, after):
    assert with_options(line, wish("/srv", add, remove)) == after


def test_options_are_escaped_as_fstab_wants():
    assert escape("x-note=two words\\") == "x-note=two\\040words\\134"
    line = with_options("/dev/a /srv ext4 rw", wish("/srv", ["x-note=two words"]))
    assert mount_tables.parse_fstab(line).entries[0].options == ("rw", "x-note=two words")


def test_every_sign_that_would_end_a_field_or_a_line_is_escaped():
    assert escape(" \t\n\\#~") == "\\040\\011\\012\\134\\043~"


def test_the_root_s_line_is_found_and_swap_s_is_none():
    assert edit("/dev/a / ext4 atime 0 1\n", wish("/", *NOATIME)).after == "/dev/a / ext4 noatime 0 1"
    assert edit("/dev/a /srv// ext4 atime\n", wish("/srv", *NOATIME)).number == 1
    text = "/dev/s /srv swap sw 0 0\n/dev/a /srv ext4 atime 0 2\n"
    assert edit(text, wish("/srv", *NOATIME)).number == 2
    assert edit("/dev/a /srv~ ext4 atime\n", wish("/srv", remove=["atime"])) is None


def test_a_diff_shows_no_line_around_what_changes():
    assert diff("/x", "a\nb\nc\n", "a\nB\nc\n") == "--- a/x\n+++ b/x\n@@ -2 +2 @@\n-b\n+B\n"


def test_a_mount_point_is_found_behind_its_escapes_and_a_last_slash():
    text = "/dev/a /srv/my\\040data/ ext4 atime\n"
    assert edit(text, wish("/srv/my data", *NOATIME)).after == "/dev/a /srv/my\\040data/ ext4 noatime"


@each(
    ("text", "says"),
    [
        ("/dev/a /srv ext4 atime\n/dev/b /srv ext4 atime\n", "lines 1 and 2"),
        ("/dev/a /other ext4 atime\n", "no line"),
        ("", "no line"),
        ("/dev/\x1ba /srv ext4 atime\n", "can't be printed"),
        ("/dev/a /srv ext4 atime\r\n", "can't be printed"),
    ],
)
def test_a_line_that_can_not_be_changed_safely_is_refused(text, says):
    with pytest.raises(UnfitError, match=says):
        edit(text, wish("/srv", *NOATIME))


def test_nothing_to_take_out_of_an_fstab_without_the_mount_is_nothing_to_do():
    assert edit("/dev/a /other ext4 atime\n", wish("/srv", remove=["nobarrier"])) is None
    assert edit("/dev/a /srv ext4 noatime\n", wish("/srv", *NOATIME)) is None


FIELDS = st.text(alphabet='abc/=,\\0147"x é\udcff', min_size=1, max_size=8).filter(lambda it: " " not in it)
LINES = st.one_of(
    st.builds("{} {} {} {} 0 0".format, FIELDS, st.just("/srv") | FIELDS, FIELDS, FIELDS),
    st.text(alphabet="ab# \t\r\\\udcff\x00", max_size=12),
)


@given(lines=st.lists(LINES, max_size=5))
def test_any_fstab_keeps_every_other_line_and_its_number_of_lines(lines):
    text = "\n".join(lines)
    try:
        change = edit(text, wish("/srv", *NOATIME))
    except UnfitError:
        return
    if change is None:
        return
    new = edited(text, [change]).split("\n")
    old = text.split("\n")
    assert len(new) == len(old)
    assert [at for at, pair in enumerate(zip(old, new, strict=True), start=1) if pair[0] != pair[1]] == [change.number]
    table = mount_tables.parse_fstab("\n".join(new))
    assert not isinstance(table, Unknown)
    (entry,) = [it for it in table.entries if it.line == change.number]
    assert "noatime" in entry.options
    assert not {"atime", "relatime"} & set(entry.options)


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
@pytest.mark.parametrize("text", [FSTAB, FSTAB.removesuffix("\n"), FSTAB.replace("what", "w\udce9\x1b")])
def test_patch_takes_the_diff_and_makes_the_same_bytes(text, tmp_path):
    change = edit(text, wish("/srv/my data", *NOATIME))
    (last,) = [edit(text, wish("/tmp", ["noexec"]))]
    after = edited(text, [change, last])
    (tmp_path / "etc").mkdir()
    raw = text.encode("utf-8", "surrogateescape")
    (tmp_path / "etc" / "fstab").write_bytes(raw)
    asked = diff("/etc/fstab", text, after).encode("utf-8", "surrogateescape")
    subprocess.run(["patch", "-p1", "-s"], cwd=tmp_path, input=asked, check=True)
    assert (tmp_path / "etc" / "fstab").read_bytes() == after.encode("utf-8", "surrogateescape")


@pytest.mark.skipif(shutil.which("findmnt") is None, reason="findmnt is not installed")
def test_findmnt_is_content_with_the_new_fstab_of_the_ten_findings(tmp_path):
    """With places that are there and a device that can be opened: findmnt then finds no error in the old one either."""
    places = {"/srv/my\\040data": f"{tmp_path}/my\\040data", "/srv/old": f"{tmp_path}/old"}
    texts = dict(TEXTS)
    for written, real in places.items():
        Path(real.replace("\\040", " ")).mkdir()
        texts = {path: text.replace(written, real) for path, text in texts.items()}
    texts["/etc/fstab"] = re.sub(r"(?m)^(UUID|LABEL)=\S+", "/dev/null", texts["/etc/fstab"])
    texts["/etc/fstab"] = texts["/etc/fstab"].replace(" /tmp ", " /dev/shm ")  # findmnt wants it before what is in it
    change = planned(server(f"{tmp_path}/my data", f"{tmp_path}/old"), texts=texts).fstab
    assert len(change.edits) == 3
    (tmp_path / "fstab").write_text(change.after)
    done = subprocess.run(
        ["findmnt", "--verify", "--tab-file", str(tmp_path / "fstab")], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "0 parse errors, 0 errors" in done.stderr
