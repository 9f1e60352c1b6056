"""The tree of the storage, as rows of plain text."""

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.tui.views import storage_tree
from fsadvisor.tui.views.badges import badges
from fsadvisor.tui.views.rows import matching
from tests.cases import each
from tests.report import composed
from tests.views.seen import many_disks, snapshot_from, snapshot_of


def unfolded(snapshot, but=()):
    """Every mount unfolded."""
    return storage_tree.Folds(frozenset(snapshot.relations.roots) - {*but})


def tree_of(snapshot, folds=None, glyphs=UNICODE):
    return storage_tree.tree(snapshot, glyphs, folds or unfolded(snapshot))


def lines(rows):
    return [plain(one) for row in rows for one in row.lines]


def line_of(snapshot, start, width=160):
    return next(one for one in lines(tree_of(snapshot).rows(width)) if start in one)


def test_every_subject_is_in_the_tree_once_and_else_a_reference():
    for machine in ("raid-lvm-crypt-server", "lab-lvm-volumes", "btrfs-two-devices", "lab-multipath", "san-host"):
        snapshot = snapshot_from(machine)
        nodes = tree_of(snapshot).nodes
        whole = [node.subject.id for node in nodes if not node.is_reference]
        drives = {one for one in snapshot.subjects if one.startswith("disk:")}
        assert sorted(set(whole)) == sorted(snapshot.subjects)
        assert {one for one in whole if whole.count(one) > 1} <= drives
        assert drives <= {node.key for node in nodes if node.depth == 0}
        assert len({node.key for node in nodes}) == len(nodes)
        assert {storage_tree.subject_of(node.key) for node in nodes} == set(snapshot.subjects)


def test_there_is_a_row_for_each_mount_then_for_each_drive_then_for_the_machine():
    snapshot = snapshot_from("pm9a3-postgresql-volatile")
    folded = [node.subject.id for node in tree_of(snapshot, storage_tree.Folds(sort="name")).nodes]
    assert folded == ["mount:/", "mount:/var/lib/postgresql", "disk:nvme0n1", "host"]
    shown = [(node.subject.id, node.depth) for node in tree_of(snapshot, unfolded(snapshot)).nodes]
    at = shown.index(("mount:/", 0))
    assert shown[at : at + 4] == [
        ("mount:/", 0),
        ("filesystem:/dev/nvme0n1p1", 1),
        ("layer:nvme0n1p1", 2),
        ("disk:nvme0n1", 3),
    ]
    assert ("service:postgresql /var/lib/postgresql/16/main", 1) in shown


def test_the_gravest_advice_is_named_and_counted_where_it_is_and_on_what_hides_it():
    snapshot = snapshot_from("raid-lvm-crypt-server")
    assert line_of(snapshot, "/dev/dm-1").startswith("█crit 4 ")
    assert line_of(snapshot, "▼ /srv ").startswith(f"▎mod {len(snapshot.relations.advice_on(['mount:/srv']))} ")
    folded = tree_of(snapshot, unfolded(snapshot, but=["mount:/srv"]))
    row = next(one for one in lines(folded.rows(160)) if "▶ /srv " in one)
    assert row.startswith("█crit ")
    assert int(row.split()[1]) > len(snapshot.relations.advice_on(["mount:/srv"]))
    assert "? PLP unknown  md0: raid1 is degraded (1 device missing), NO barriers, ext4, 97 % full" in row
    assert "on sda" in "".join(plain(one) for one in folded.whole("mount:/srv", 80))
    assert not any("/dev/dm-1" in one for one in lines(folded.rows(160)))


def test_what_is_shared_is_shown_whole_where_it_is_first_unfolded_and_a_drive_has_its_own_row():
    snapshot = snapshot_from("raid-lvm-crypt-server")
    shared = [node for node in tree_of(snapshot).nodes if node.subject.id == "layer:md1"]
    assert [node.is_reference for node in shared] == [False] + [True] * (len(shared) - 1)
    assert any(node.is_reference for node in tree_of(snapshot).nodes)
    (sda,) = [node for node in tree_of(snapshot, storage_tree.Folds()).nodes if node.subject.id == "disk:sda"]
    assert sda.depth == 0


def test_all_mounts_are_folded_at_first():
    for snapshot in (many_disks(), snapshot_from("raid-lvm-crypt-server")):
        assert all(node.depth == 0 for node in tree_of(snapshot, storage_tree.Folds()).nodes)


def board_of(machine, start, width=100):
    snapshot = snapshot_from(machine) if isinstance(machine, str) else machine
    return next(one for one in lines(tree_of(snapshot, storage_tree.Folds()).rows(width)) if f" {start} " in one)


def test_the_board_has_figures_in_columns_and_protection_in_one_of_its_own():
    assert "✗ PLP absent   xfs      ████····  50 %" in board_of("old-storage-server", "/srv/images")
    assert "~ PLP partial  48 TB    wear ?  " in board_of("old-storage-server", "sda")
    assert "✓ PLP proven   3.84 TB  4 % worn  " in board_of("pm9a3-postgresql-measured", "nvme0n1")
    assert "fsync 1.16 ms  ██▏··  44 %" in board_of("pm9a3-postgresql-measured", "/var/lib/postgresql", 200)


def test_what_is_wrong_takes_the_place_of_figures():
    assert "✗ PLP absent   STOPPED by the kernel, 17 errors, ext4, 100 % full" in board_of("old-storage-server", "/old")
    assert "7 media errors, 2 TB, 104 % worn" in board_of("worn-nvme-database", "nvme2n1")


@each(
    ("machine", "mount", "leads"),
    [
        ("worn-nvme-database", "/srv/redis", "nvme2n1: 7 errors (uncorrectable media errors), ext4"),
        ("lab-raid5-degraded", "/srv/lab/data", "md127: raid5 is degraded (1 device missing), ext4"),
        ("lab-multipath-path-failed", "/srv/lab/data", "mpatha: 1 path usable (2 devices in the map), xfs"),
        ("hdd-mail-server", "/", "sda and sdb: 8 sectors pending, ext4"),
        ("lab-ext4-stopped", "/srv/lab/data", "3 errors, ext4"),
    ],
)
def test_a_mounts_row_leads_with_what_is_wrong_now_of_all_that_it_stands_on(machine, mount, leads):
    told = board_of(machine, mount, 140)
    assert told.partition(" PLP ")[2].partition(" ")[2].strip().startswith(leads)


def test_a_figure_that_is_not_known_is_a_question_and_one_that_makes_no_sense_is_not_there():
    assert "? PLP unknown" in board_of("old-storage-server", "/tank")
    assert "wear ?" in board_of("old-storage-server", "sdf")
    assert "wear" not in board_of("old-storage-server", "sdc")


def test_the_gravest_rows_come_first_or_the_fullest_or_they_stand_by_name():
    snapshot = snapshot_from("worn-nvme-database")

    def first(sort):
        return [node.subject.name for node in tree_of(snapshot, storage_tree.Folds(sort=sort)).nodes][:2]

    assert first("worst") == ["/var/lib/mysql", "/"]
    assert first("name") == ["/", "/srv/redis"]
    drives = [node.subject.name for node in tree_of(snapshot, storage_tree.Folds(sort="used")).nodes]
    assert drives[drives.index("nvme2n1") - 1].startswith("/")


def test_badges_say_what_an_admin_looks_for():
    snapshot = snapshot_from("pm9a3-postgresql-attested")
    assert "PLP proven, write back, 3.84 TB, NVMe SSD" in plain(badges(snapshot.subjects["disk:nvme0n1"], UNICODE))
    snapshot = snapshot_from("raid-lvm-crypt-server")
    assert "97 % full, NO barriers, ext4, data=writeback" in line_of(snapshot, "/dev/dm-1")
    assert "1 missing, raid1" in line_of(snapshot, "md0 ")
    assert "differs from fstab" in line_of(snapshot, "▼ /srv ")
    assert "device missing" in line_of(snapshot_from("lab-btrfs-degraded"), "/dev/sda ")


def test_what_is_not_known_is_a_question_and_what_is_being_asked_does_not_cry():
    disk = composed.disk("sda", (), plp=Unknown(Cause.DENIED, ""), smart_passed=Unknown(Cause.BEING_ASKED, ""))
    shown = plain(badges(disk, UNICODE))
    assert "PLP ?" in shown
    assert "health …" in shown


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", [20, 40, 80, 160])
def test_hostile_names_stay_within_the_line(width, glyphs):
    snapshot = snapshot_of(composed.hostile())
    for row in tree_of(snapshot, glyphs=glyphs).rows(width):
        assert columns(row.lines[0]) <= width
        assert plain(row.lines[0]).isprintable()
        assert glyphs is UNICODE or "▼" not in plain(row.lines[0])


def test_in_ascii_a_long_name_is_cut_in_ascii():
    rows = tree_of(snapshot_from("raid-lvm-crypt-server"), glyphs=ASCII).rows(50)
    assert all(one.isascii() for one in lines(rows))


def test_a_search_finds_subjects_that_are_folded_away():
    snapshot = snapshot_from("raid-lvm-crypt-server")
    folds = storage_tree.Folds()
    rows = tree_of(snapshot, folds).rows(100)
    assert [row.key for row in matching(rows, "SDD")] == ["disk:sdd"]
    assert [row.key for row in matching(rows, "ST4000NM")] == ["disk:sdd", "disk:sde", "disk:sdf"]
    assert len(matching(rows, "")) == len(rows)


@pytest.mark.parametrize("machine", ["raid-lvm-crypt-server", "btrfs-two-devices", "pm9a3-postgresql-volatile"])
def test_a_tree_made_after_another_is_as_one_made_anew(machine):
    snapshot = snapshot_from(machine)
    before = None
    for sort in (*storage_tree.SORTS, *storage_tree.SORTS):
        for opened in ((), *([one] for one in snapshot.relations.roots), snapshot.relations.roots):
            folds = storage_tree.Folds(frozenset(opened), sort)
            anew = tree_of(snapshot, folds)
            before = storage_tree.tree(snapshot, UNICODE, folds, before)
            assert before.nodes == anew.nodes
            assert lines(before.rows(80)) == lines(anew.rows(80))
            assert len({node.key for node in anew.nodes}) == len(anew.nodes)
