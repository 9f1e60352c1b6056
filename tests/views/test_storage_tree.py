"""The tree of the storage, as rows of plain text."""

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.tui.views import storage_tree
from fsadvisor.tui.views.badges import badges
from fsadvisor.tui.views.rows import matching
from tests.report import composed
from tests.views.seen import look_at, look_of


def tree_of(look, folds=None, glyphs=UNICODE):
    return storage_tree.tree(look, glyphs, folds or storage_tree.folds_of(look))


def lines(rows):
    return [plain(one) for row in rows for one in row.lines]


def line_of(look, start, width=160):
    return next(one for one in lines(tree_of(look).rows(width)) if start in one)


def test_every_subject_is_in_the_tree_once_and_else_a_reference():
    for machine in ("raid-lvm-crypt-server", "lab-lvm-volumes", "btrfs-two-devices", "lab-multipath", "san-host"):
        look = look_at(machine)
        nodes = tree_of(look).nodes
        whole = [node.subject.id for node in nodes if not node.is_reference]
        assert sorted(whole) == sorted(look.subjects)
        assert len({node.key for node in nodes}) == len(nodes)
        assert {storage_tree.subject_of(node.key) for node in nodes} == set(look.subjects)


def test_mounts_stand_at_the_top_and_disks_at_the_bottom():
    look = look_at("pm9a3-postgresql-volatile")
    shown = [(node.subject.id, node.depth) for node in tree_of(look).nodes]
    assert shown[:5] == [
        ("host", 0),
        ("mount:/", 0),
        ("filesystem:/dev/nvme0n1p1", 1),
        ("layer:nvme0n1p1", 2),
        ("disk:nvme0n1", 3),
    ]
    assert ("service:postgresql /var/lib/postgresql/16/main", 1) in shown


def test_the_gravest_advice_is_named_and_counted_where_it_is_and_on_what_hides_it():
    look = look_at("raid-lvm-crypt-server")
    assert line_of(look, "/dev/dm-1").startswith(" crit 4 ")
    assert line_of(look, "▼ /srv ").startswith(f" mod {len(look.relations.advice_on(['mount:/srv']))} ")
    folded = tree_of(look, storage_tree.folds_of(look).turn("mount:/srv"))
    row = next(one for one in lines(folded.rows(160)) if "▶ /srv " in one)
    assert row.startswith(" crit ")
    assert int(row.split()[1]) > len(look.relations.advice_on(["mount:/srv"]))
    assert "ext4, 97 % full, NO barriers" in row
    assert row.rstrip().endswith("on sda")
    assert not any("/dev/dm-1" in one for one in lines(folded.rows(160)))


def test_what_is_shared_is_shown_whole_where_it_is_first_unfolded():
    look = look_at("raid-lvm-crypt-server")
    folds = storage_tree.folds_of(look)
    assert [node.depth for node in tree_of(look, folds).nodes if node.subject.id == "disk:sda"] == [3, 6]
    without = tree_of(look, folds.turn("mount:/"))
    (sda,) = [node for node in without.nodes if node.subject.id == "disk:sda"]
    assert not sda.is_reference


def test_a_big_machine_begins_with_its_mounts_folded():
    look = look_of(composed.many(200))
    assert all(node.depth == 0 for node in tree_of(look).nodes)


def test_badges_say_what_an_admin_looks_for():
    assert "PLP proven, write back, 3.84 TB, NVMe SSD" in line_of(look_at("pm9a3-postgresql-attested"), "nvme0n1  ")
    look = look_at("raid-lvm-crypt-server")
    assert "97 % full, NO barriers, data=writeback" in line_of(look, "/dev/dm-1")
    assert "1 missing, raid1" in line_of(look, "md0 ")
    assert "differs from fstab" in line_of(look, "▼ /srv ")
    assert "device missing" in line_of(look_at("lab-btrfs-degraded"), "/dev/sda ")


def test_what_is_not_known_is_a_question_and_what_is_being_asked_does_not_cry():
    disk = composed.disk("sda", (), plp=Unknown(Cause.DENIED, ""), smart_passed=Unknown(Cause.BEING_ASKED, ""))
    shown = plain(badges(disk, UNICODE))
    assert "PLP ?" in shown
    assert "health …" in shown


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", [20, 40, 80, 160])
def test_hostile_names_stay_within_the_line(width, glyphs):
    look = look_of(composed.hostile())
    for row in tree_of(look, glyphs=glyphs).rows(width):
        assert columns(row.lines[0]) <= width
        assert plain(row.lines[0]).isprintable()
        assert glyphs is UNICODE or "▼" not in plain(row.lines[0])


def test_in_ascii_a_long_name_is_cut_in_ascii():
    rows = tree_of(look_at("raid-lvm-crypt-server"), glyphs=ASCII).rows(50)
    assert all(one.isascii() for one in lines(rows))


def test_a_search_finds_subjects_that_are_folded_away():
    look = look_at("raid-lvm-crypt-server")
    folds = storage_tree.folds_of(look).turn("mount:/backup")
    rows = tree_of(look, folds).rows(100)
    assert [row.key for row in matching(rows, "SDD")] == ["disk:sdd"]
    assert [row.key for row in matching(rows, "ST4000NM")] == ["disk:sdd", "disk:sde", "disk:sdf"]
    assert len(matching(rows, "")) == len(rows)
