"""Mount tables, fstab, mount units and what ext4 and its journal say of themselves."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fsadvisor.facts import Cause
from fsadvisor.readers import ext4_reports, mount_tables, systemd_units
from fsadvisor.readers.mount_tables import split_options, unescape
from tests.cases import each
from tests.paths import CAPTURES, FIXTURES, needs_captures
from tests.readers.captures_mounts import KINDS


def escaped(name, special=b" \t\n\\"):
    """A path as the kernel writes it into a mount table."""
    raw = b"".join(b"\\%03o" % byte if byte in special else bytes([byte]) for byte in name)
    return raw.decode("utf-8", "surrogateescape")


def path(name):
    return name.decode("utf-8", "surrogateescape")


def sample(name):
    return (FIXTURES / "outputs" / name).read_bytes().decode("utf-8", "surrogateescape")


names = st.binary(max_size=60).filter(lambda name: b"\0" not in name).map(lambda name: b"/" + name)
odd_names = names | st.text(st.sampled_from(" \t\n\\#,=\"'0147\r\f\v\x85\u2028é€😀\x1b[]$()"), max_size=40).map(
    lambda name: b"/" + name.encode()
)
long_name = "/" + "€ \n\\" * 600  # 4 KiB of UTF-8


@given(odd_names, odd_names)
@example(b"/new\nline \\040", b"/\xff\xfe\\")
@example(long_name.encode(), b"/")
def test_any_mount_point_and_root_come_back_from_mountinfo_as_they_were(point, root):
    line = f"36 35 8:3 {escaped(root)} {escaped(point)} rw - ext4 /dev/sda3 rw\n"
    (mount,) = mount_tables.parse_mountinfo(line).mounts
    assert (mount.mount_point, mount.root) == (path(point), path(root))


@given(odd_names, odd_names)
@example(long_name.encode(), b"# no comment")
def test_any_mount_point_and_source_come_back_from_proc_mounts_as_they_were(point, source):
    line = f"{escaped(source, b' #' + bytes([9, 10, 92]))} {escaped(point)} ext4 rw 0 0\n"
    (mount,) = mount_tables.parse_proc_mounts(line).mounts
    assert (mount.mount_point, mount.source) == (path(point), path(source))


@given(odd_names)
@example(long_name.encode())
def test_any_mount_point_comes_back_from_fstab_as_it_was(point):
    (entry,) = mount_tables.parse_fstab(f"LABEL=x {escaped(point)} ext4 defaults 0 2\n").entries
    assert entry.mount_point == path(point)


@given(names)
def test_a_name_with_every_byte_in_octal_comes_back_too(name):
    assert unescape(escaped(name, bytes(range(1, 256)))) == path(name)


def test_an_escape_is_undone_once_and_what_is_none_stays():
    assert unescape(r"\134040") == r"\040"
    assert unescape(r"a\04 \9 \400 \000 \x20") == r"a\04 \9 \400 \000 \x20"
    assert unescape("\ud800\\040") == "\ud800\\040"  # no bytes decode to this


def test_options_of_the_mount_and_of_the_filesystem_stay_apart():
    bind = mount_tables.parse_mountinfo(
        "43 27 7:0 /a /b ro,noatime shared:7 master:1 - ext4 /dev/loop0 rw,nobarrier\n"
    ).mounts[0]
    assert bind.options == ("ro", "noatime")
    assert bind.super_options == ("rw", "nobarrier")
    assert bind.root == "/a"


def test_the_name_of_a_btrfs_subvolume_is_never_an_option():
    """Older kernels leave its comma bare, newer ones escape it."""
    for name in ("/x,nobarrier", r"/x\054nobarrier"):
        line = f"58 27 0:39 /x /m rw - btrfs /dev/sda rw,ssd,subvolid=256,subvol={name}\n"
        assert mount_tables.parse_mountinfo(line).mounts[0].super_options[-1] == "subvol=/x,nobarrier"
        line = f"/dev/sda /m btrfs rw,subvolid=256,subvol={name} 0 0\n"
        assert "nobarrier" not in mount_tables.parse_proc_mounts(line).mounts[0].options


def test_the_folders_of_an_overlay_keep_their_commas_and_quotes():
    mounts = {
        mount.mount_point: mount for mount in mount_tables.parse_mountinfo(sample("mountinfo/odd-names.out")).mounts
    }
    overlay = mounts["/tmp/mounts/m/overlay"]
    assert overlay.super_options[1:4] == (
        r"lowerdir=/tmp/mounts/m/tmp/lo\,w \\ \: #",
        "upperdir=/tmp/mounts/m/tmp/up",
        "workdir=/tmp/mounts/m/tmp/wk",
    )


def test_a_quote_keeps_commas_together_only_where_it_closes():
    assert split_options('rw,context="u:r:t:s0:c1,c2",ro') == ("rw", 'context="u:r:t:s0:c1,c2"', "ro")
    assert split_options('lowerdir=/a",upperdir="/b,ro') == ('lowerdir=/a"', 'upperdir="/b', "ro")
    assert split_options(",,rw,,ro,") == ("rw", "ro")
    assert split_options("") == ()


def test_an_empty_source_is_read_as_empty():
    assert mount_tables.parse_mountinfo("60 27 0:43 / /m rw - tmpfs  rw,size=4k\n").mounts[0].source == ""
    assert mount_tables.parse_proc_mounts(" /m tmpfs rw 0 0\n").mounts[0].source == ""


def test_spaces_other_than_the_blank_and_the_newline_belong_to_the_name():
    name = "/a\rb\fc\vd\x85e\u2028f\xa0g"
    assert mount_tables.parse_mountinfo(f"60 27 0:43 / {name} rw - tmpfs t rw\n").mounts[0].mount_point == name


@pytest.mark.parametrize(
    "parse",
    [
        mount_tables.parse_mountinfo,
        mount_tables.parse_proc_mounts,
        ext4_reports.parse_ext4_options,
    ],
)
def test_what_is_no_mount_table_is_refused_with_its_cause(parse):
    assert parse("").cause is Cause.UNREADABLE
    assert parse("what is this\n").cause is Cause.UNREADABLE
    assert parse("cat: /proc/x: Permission denied\n").cause is Cause.DENIED
    assert parse("cat: /proc/x: No such file or directory\n").cause is Cause.NOT_EXPOSED


@pytest.mark.parametrize("parse", [mount_tables.parse_mountinfo, mount_tables.parse_proc_mounts])
def test_a_mount_table_that_is_cut_off_is_not_read(parse):
    """What is missing may be mounted over a place that is still there."""
    line = "60 27 0:43 / /m rw - tmpfs t rw\n" if parse is mount_tables.parse_mountinfo else "/dev/sda /m ext4 rw 0 0\n"
    assert [mount.mount_point for mount in parse(line).mounts] == ["/m"]
    assert parse(line + line[:-6]).cause is Cause.UNREADABLE
    assert parse(line[:-1]).cause is Cause.UNREADABLE


def test_a_mountinfo_line_that_is_none_is_no_mount():
    record = mount_tables.parse_mountinfo("60 27 0:43 / /m rw - tmpfs t rw\n61 27 0:44 / /n rw - tm\n")
    assert [mount.mount_point for mount in record.mounts] == ["/m"]


def test_fstab_lines_count_as_libmount_counts_them():
    """Tried against findmnt --tab-file of util-linux 2.38."""
    good = ["/dev/c /c ext4", "/dev/e /e ext4 rw 1", "/dev/i /i ext4 rw 0 0 extra", "\t/dev/a\t/a  ext4 rw 0 1 # x"]
    bad = ["/dev/b /b", "one", "/dev/d /d ext4 rw x", "/dev/f /f ext4 rw 1 y", "/dev/l /l ext4 rw 0x1 -1"]
    record = mount_tables.parse_fstab("\n".join(["  # comment", "", *good, *bad]))
    assert [entry.line for entry in record.entries] == [3, 4, 5, 6]
    assert record.ignored == (7, 8, 9, 10, 11)


def test_an_fstab_field_left_out_is_none_and_not_zero():
    bare, full = mount_tables.parse_fstab("/dev/a /a ext4\n/dev/b /b ext4 rw 0 0\n").entries
    assert (bare.options, bare.passno) == ((), None)
    assert (full.options, full.passno) == (("rw",), 0)


def test_an_fstab_of_comments_has_no_entries_and_one_of_nonsense_is_refused():
    assert mount_tables.parse_fstab("# nothing\n\n").entries == ()
    assert mount_tables.parse_fstab("").entries == ()
    assert mount_tables.parse_fstab("this is it\0\n").cause is Cause.UNREADABLE


def test_the_last_assignment_in_a_mount_unit_wins_and_an_empty_one_takes_it_back():
    unit = systemd_units.parse_mount_unit("[Mount]\nWhere=/a\nOptions=ro\n\n[Mount]\nOptions=\nWhere=/b\nType=\n")
    assert (unit.where, unit.fs_type, unit.options) == ("/b", None, None)


def test_a_continued_line_of_a_mount_unit_passes_over_comments():
    unit = systemd_units.parse_mount_unit(
        "[Mount]\nWhere=/a\\\n# not this\n;nor this\n  b\nOptions = noatime,x=%%i\\x20y \n"
    )
    assert unit.where == "/a   b"
    assert unit.options == ("noatime", r"x=%%i\x20y")


def test_an_escaped_backslash_at_the_end_of_a_line_continues_nothing():
    unit = systemd_units.parse_mount_unit("[Mount]\nType=a\\\\\nWhere=/b")
    assert (unit.fs_type, unit.where) == (r"a\\", "/b")


def test_a_mount_unit_passes_over_what_systemd_ignores():
    unit = systemd_units.parse_mount_unit("Early=1\n[Mount]\nType=\udcff\nWhere=/a\n[broken\n=x\n[Unit]\nWhere=/b\n")
    assert (unit.fs_type, unit.where) == (None, "/a")
    assert systemd_units.parse_mount_unit("[Unit]\nWhat=/dev/a\n").cause is Cause.UNREADABLE


def test_systemctl_show_gives_the_units_by_their_id():
    shown = systemd_units.parse_systemctl_show(sample("systemctl_show/timer-and-mounts.out"))
    units = {unit.get("Id"): unit for unit in shown.units}
    assert units["fstrim.timer"].get("UnitFileState") == "enabled"
    assert units[r"srv-my\x20db.mount"].get("Options").split(",")[:2] == ["rw", "noatime"]
    assert units[r"srv-my\x20db.mount"].get("DropInPaths") == ""
    assert units[r"srv-new\x0aline.mount"].get("Where") is None
    assert units["nothing.timer"].get("NextElapseUSecRealtime") is None


@each(
    ("said", "cause"),
    [
        ("System has not been booted with systemd as init system (PID 1). Can't operate.", Cause.NOT_EXPOSED),
        ("Failed to connect to bus: Host is down", Cause.NOT_EXPOSED),
        ("Failed to connect to bus: Permission denied", Cause.DENIED),
        ("Failed to get properties: Connection timed out", Cause.UNREADABLE),
        ("", Cause.UNREADABLE),
    ],
)
def test_systemctl_s_own_words_are_no_unit(said, cause):
    assert systemd_units.parse_systemctl_show(said).cause is cause


def test_ext4_options_tell_a_flag_from_a_value():
    options = ext4_reports.parse_ext4_options(sample("ext4_options/nobarrier.out"))
    assert options.has("nobarrier")
    assert not options.has("barrier")
    assert (options.value("commit"), options.value("data")) == ("30", "ordered")
    assert options.has("rw")
    assert options.value("rw") is None
    assert options.value("no_such_option") is None


def test_a_journal_without_commits_has_no_averages():
    journal = ext4_reports.parse_jbd2_info("0 transactions (0 requested), each up to 1365 blocks\n")
    assert (journal.transactions, journal.waiting_ms, journal.average_commit_us) == (0, None, None)


def test_a_journal_s_averages_are_read_each_in_its_place():
    journal = ext4_reports.parse_jbd2_info(sample("jbd2_info/slow-disk.out"))
    assert (journal.transactions, journal.requested) == (918273, 917001)
    assert (journal.running_ms, journal.locked_ms, journal.flushing_ms, journal.logging_ms) == (48, 2, 31, 12)
    assert journal.average_commit_us == 14873


def test_a_journal_s_line_that_is_no_statistic_is_passed_over():
    journal = ext4_reports.parse_jbd2_info(
        "7 transactions (7 requested), each up to 9 blocks\naverage: \n  -3ms request delay\n  5 cows\n"
    )
    assert journal.request_delay_ms is None


def captured(kind, file):
    (record,) = KINDS[kind]((CAPTURES / file).read_bytes().decode("utf-8", "surrogateescape"))
    return record


@needs_captures
@pytest.mark.parametrize(
    ("kind", "file", "count"),
    [
        ("mountinfo", "moby-sys/fedoraMountinfo.mountinfo", 58),
        ("mountinfo", "moby-sys/ubuntuMountInfo.mountinfo", 130),
        ("proc_mounts", "mailinglists/mounts/proc_mounts_lines.txt", 46),
        ("fstab/mtab", "util-linux/mount/mtab", 12),
    ],
)
def test_every_line_of_a_captured_table_is_a_mount(kind, file, count):
    assert len(captured(kind, file).mounts) == count


@needs_captures
def test_captured_tables_say_what_they_show():
    subvolumes = captured("mountinfo", "util-linux/mount/libmount_mountinfo_btrfs").mounts
    containers = next(mount for mount in subvolumes if mount.mount_point == "/var/lib/containers")
    assert (containers.root, containers.source) == ("/containers", "/dev/sdc1")
    assert containers.super_options[-2:] == ("subvolid=262", "subvol=/containers")
    broken = captured("fstab/mtab", "util-linux/mount/fstab.broken")
    assert len(broken.entries) == 10
    assert not {1, 8} & {entry.line for entry in broken.entries}
    tabs = captured("fstab/mtab", "util-linux/mount/mtab").mounts[-1].mount_point
    assert set(tabs.removeprefix("/var/tmp/")) == {"\t", "/"}


ROOT = "36 35 8:3 / / rw,noatime shared:1 - ext4 /dev/sda3 rw,nobarrier"


@each(
    "line",
    [
        "x 35 8:3 / / rw shared:1 - ext4 /dev/sda3 rw",
        "36 x 8:3 / / rw shared:1 - ext4 /dev/sda3 rw",
        "36 35 8.3 / / rw shared:1 - ext4 /dev/sda3 rw",
        "36 35 8:3 / / rw shared:1 master:2 ext4 /dev/sda3 rw",
        "36 35 8:3 / - rw shared:1 master:2 ext4 /dev/sda3",
        "36 35 8:3 / / - ext4 /dev/sda3 rw x",
        "36 35 8:3 / / rw - ext4 /dev/sda3",
        "36 35 8:3 / / rw shared:1 master:2 - ext4 /dev/sda3",
        "36 35 8:3 / /a\0b rw - ext4 /dev/sda3 rw",
    ],
)
def test_a_line_that_lacks_a_field_of_mountinfo_is_passed_over_beside_the_others(line):
    record = mount_tables.parse_mountinfo(f"{ROOT}\n{line}\n")
    assert [mount.mount_point for mount in record.mounts] == ["/"]


def test_a_mount_without_propagation_is_read_and_a_source_may_be_a_hyphen():
    (mount,) = mount_tables.parse_mountinfo("36 35 8:3 / - rw - ext4 - rw\n").mounts
    assert (mount.mount_point, mount.options, mount.source) == ("-", ("rw",), "-")


@each("line", ["/dev/sda / ext4 rw 0", "/dev/sda / ext4 rw x 0", "/dev/sda / ext4 rw 0 x", "/dev/a\0 / ext4 rw 0 0"])
def test_a_line_that_is_none_of_proc_mounts_is_passed_over(line):
    record = mount_tables.parse_proc_mounts(f"/dev/sdb /srv xfs rw 0 0\n{line}\n")
    assert [mount.mount_point for mount in record.mounts] == ["/srv"]


def test_a_btrfs_subvolumes_name_begins_at_the_first_subvol_and_is_no_other_filesystems():
    assert split_options("rw,ssd,subvol=/a,subvol=/b,noatime", "btrfs") == ("rw", "ssd", "subvol=/a,subvol=/b,noatime")
    assert split_options("rw,subvol=/a,noatime", "ext4") == ("rw", "subvol=/a", "noatime")
