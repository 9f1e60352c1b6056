"""The figures of the board's rows."""

from fsadvisor.pages.glyphs import UNICODE, plain
from fsadvisor.tui.views import board
from tests.views.seen import snapshot_from


def told_of(machine, name, width):
    subjects = snapshot_from(machine).subjects
    known = {what for one in subjects.values() for what in board.measured(one)}
    return plain(board.figures(subjects[name], width, UNICODE, measured=known))


def test_a_drive_shows_how_worn_and_how_warm_it_is_even_beside_what_is_wrong_with_it():
    assert "4 % worn     34 °C" in told_of("worn-nvme-database", "disk:nvme0n1", 120)
    assert "critical warning, 2 TB, 4 % worn, 34 °C" in told_of("worn-nvme-database", "disk:nvme1n1", 120)
    assert "104 % worn, 34 °C" in told_of("worn-nvme-database", "disk:nvme2n1", 120)


def test_a_drive_that_does_not_say_how_warm_it_is_shows_no_temperature():
    told = told_of("old-storage-server", "disk:sdc", 120)
    assert "°C" not in told
    assert (
        told.endswith("8 TB               healthy, hard disk, ST8000NM0055-1RM112")
        or "8 TB                 healthy" in told
    )


def test_a_measured_fsync_has_a_column_with_what_its_flushes_take():
    told = told_of("pm9a3-postgresql-measured", "mount:/var/lib/postgresql", 120)
    assert "fsync 1.16 ms  ██▏··  44 %" in told
    assert told.count("fsync") == 1
