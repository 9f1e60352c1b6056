"""The table of firmware: each row stands on a page, holds for what it names, and for nothing newer."""

import datetime as dt

from msgspec.structs import replace

from fsadvisor import drives
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.survey import disk_tables
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.panel import build

ROWS = drives.table()
TODAY = dt.date(2026, 12, 3)


def test_every_row_names_a_page_the_day_it_was_read_and_what_it_does():
    for row in ROWS:
        says_what_it_does(row)


def says_what_it_does(row):
    assert row.page.startswith("http")
    assert row.says
    assert row.what
    assert row.read >= dt.date(2026, 11, 23)
    assert row.effect in drives.WORST_FIRST
    assert (row.like is None) == (not row.before)
    assert not row.firmware & row.cured
    if row.like:
        assert row.like.fullmatch(row.before)
    if row.effect in ("loses data", "misbehaves"):
        assert row.cure
        assert row.firmware or row.before, "a hard fact names revisions"


def test_the_table_is_long_and_knows_nvme_drives():
    assert len(ROWS) >= 80
    assert sum(row.bus == "nvme" for row in ROWS) >= 25


@each(
    ("model", "revision", "effect"),
    [
        ("Samsung SSD 980 PRO 2TB", "3B2QGXA7", "loses data"),
        ("Samsung SSD 980 PRO 2TB", "5B2QGXA7", "none listed"),
        ("Samsung SSD 990 PRO 2TB", "0B2QJXD7", "loses data"),
        ("MO1600JVYPR", "HPD6", "loses data"),
        ("HP MO1600JVYPR", "HPD6", "loses data"),
        ("MO1600JVYPR", "HPD7", "none listed"),
        ("MO1600JVYPR", "HPDA", "none listed"),
        ("MO0400JFFCF", "HPD7", "loses data"),
        ("MO0400JFFCF", "HPD8", "none listed"),
        ("LT0200WM", "D416", "loses data"),
        ("LT0200WM", "P405", "not known"),
        ("MO1600JVYPR", None, "not known"),
        ("M4-CT128M4SSD2", "0009", "misbehaves"),
        ("M4-CT128M4SSD2", "0309", "none listed"),
        ("ST31500341AS", "SD15", "misbehaves"),
        ("ST31500341AS", "CC1H", "none listed"),
        ("SAMSUNG HD204UI", "1AQ10001", "may be affected"),
        ("Samsung SSD 870 QVO 8TB", "SVQ02B6Q", "handled"),
        ("INTEL SSDSC2KB480G8", "XCV10100", "none listed"),
        ("SAMSUNG MZQL23T8HCLS-00A07", "GDC5902Q", "none listed"),
        ("MZQL23T8HCLSAD3", "GDC5502Q", "none listed"),
    ],
)
def test_a_fault_is_told_of_the_revisions_that_have_it(model, revision, effect):
    told = disk_tables.with_faults(_disk(model=model, firmware=revision), TODAY).firmware_fault
    assert (told.value if isinstance(told, Known) else "not known") == effect


def test_a_count_of_hours_is_told_in_days_with_the_page_and_its_age():
    disk = disk_tables.with_faults(_disk(model="MO1600JVYPR", firmware="HPD6", power_on_hours=34912), TODAY)
    assert disk.firmware_hours_left.value == 5088
    assert ", in 212 days without a break; free of it: HPD7 or later" in disk.firmware_fault.source
    assert "tomshardware.com" in disk.firmware_fault.source
    assert "read 10 days ago" in disk.firmware_fault.source


def test_hours_that_are_reached_or_not_known_are_said_so():
    over = disk_tables.with_faults(_disk(model="MO1600JVYPR", firmware="HPD6", power_on_hours=41000), TODAY)
    assert over.firmware_hours_left.value == 0
    assert ", an age that it has reached" in over.firmware_fault.source
    unknown = disk_tables.with_faults(_disk(model="MO1600JVYPR", firmware="HPD6"), TODAY)
    assert isinstance(unknown.firmware_hours_left, Unknown)
    assert ", when is not known" in unknown.firmware_fault.source


def test_only_what_loses_data_takes_the_trust_away():
    loses = disk_tables.with_faults(_disk(model="Samsung SSD 980 PRO 2TB", firmware="3B2QGXA7"), TODAY)
    assert loses.firmware_trusted.value is False
    handled = disk_tables.with_faults(_disk(model="Samsung SSD 870 QVO 8TB", firmware="SVQ02B6Q"), TODAY)
    assert isinstance(handled.firmware_trusted, Unknown)


def test_what_is_not_in_the_table_is_said_with_the_tables_age():
    told = disk_tables.with_faults(_disk(model="INTEL SSDSC2KB480G8", firmware="XCV10140"), TODAY).firmware_fault
    assert told.source == f"a table of {len(ROWS)} faults, 10 days old: this revision is in none"


def _disk(*, model, firmware, power_on_hours=None):
    drive = build.nvme(0, "Some Drive")
    storage = survey(build.server(drive, mounts=[build.root(drive)]), {})
    disk = next(it for it in storage.subjects if it.id == "disk:nvme0n1").scope["disk"]
    unknown = Unknown(Cause.NOT_EXPOSED, "")
    return replace(
        disk,
        model=Known(model, "test"),
        firmware=Known(firmware, "test") if firmware else unknown,
        power_on_hours=unknown if power_on_hours is None else Known(power_on_hours, "test"),
    )
