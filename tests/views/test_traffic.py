"""What moves on the board."""

import pytest

from fsadvisor.measure.waits.rates import RateHistory
from fsadvisor.pages.glyphs import ASCII, UNICODE, columns, plain
from fsadvisor.tui.views import board, storage_tree
from tests.views.pulses import pulse
from tests.views.seen import snapshot_from

RAID = "raid-lvm-crypt-server"


def moments(**writes_a_second):
    """Each writes so many times 4 KiB a second, for ten seconds."""
    history = RateHistory(parts=True)
    for at in range(10):
        history.add(pulse(float(at), {name: at * number for name, number in writes_a_second.items()}))
    return tuple(history.moments)


def told(snapshot, subject, **writes):
    moving = board.traffic_of(moments(**writes), snapshot.subjects)
    return plain(board.traffic_cells(moving, snapshot.subjects[subject], UNICODE, reads=True))


def test_a_mount_on_a_partition_tells_of_the_partition_and_not_of_the_whole_drive():
    snapshot = snapshot_from(RAID)
    assert told(snapshot, "mount:/", sda=256, sda1=64).startswith("w 256K")
    assert told(snapshot, "disk:sda", sda=256, sda1=64).startswith("w 1.00M")


def test_what_several_devices_write_is_added_and_not_known_where_one_does_not_tell():
    snapshot = snapshot_from("btrfs-two-devices")
    mount = next(one for one in snapshot.storage.subjects if one.kind == "mount" and one.name != "/")
    names = list(board._devices(mount, snapshot.subjects))
    assert len(names) > 1
    assert told(snapshot, mount.id, **dict.fromkeys(names, 64)).startswith(f"w {len(names) * 256}K")
    assert told(snapshot, mount.id, **{names[0]: 64}).startswith("w ?")


def test_the_scale_is_one_for_all_and_stays_while_figures_move_a_little():
    snapshot = snapshot_from(RAID)
    tops = {board.traffic_of(moments(sda=number), snapshot.subjects).top for number in (600, 700, 1000)}
    assert tops == {4 << 20}
    assert "w, r up to 4.00M/s" in plain(
        storage_tree.title(snapshot, "worst", board.traffic_of(moments(sda=600), snapshot.subjects))
    )


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", [40, 58, 73, 98, 123])
def test_rows_stay_in_their_columns_with_figures_that_move(width, glyphs):
    snapshot = snapshot_from(RAID)
    moving = board.traffic_of(moments(sda=900, sda1=80), snapshot.subjects)
    tree = storage_tree.tree(snapshot, glyphs, storage_tree.Folds())
    rows = [row.lines[0] for row in tree.rows(width, moving)]
    assert max(columns(one) for one in rows) <= width
    root = next(plain(one) for one in rows if " / " in plain(one))
    assert (" w 320K " in root) == (width >= 70)
    assert (" r 0 " in root) == (width >= 116)
    assert " PLP " in root


def test_nothing_moves_on_a_recording():
    snapshot = snapshot_from(RAID)
    tree = storage_tree.tree(snapshot, UNICODE, storage_tree.Folds())
    assert not any(" w " in plain(row.lines[0]) for row in tree.rows(123, board.Traffic()))
    assert plain(storage_tree.title(snapshot, "worst", board.Traffic())) == plain(storage_tree.title(snapshot))
