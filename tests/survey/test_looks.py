"""What earlier looks say of a drive, and what they can't."""

import datetime as dt

from fsadvisor.facts import NOT_APPLICABLE, Known, Unknown
from fsadvisor.readers.looks import SCHEMA, Look
from fsadvisor.storage import Disk
from fsadvisor.survey.looks import Past, of_disk

NOW = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)


def grown(counts, **facts):
    """Of a hard disk, since one look ten days ago."""
    look = Look(schema=SCHEMA, when=NOW - dt.timedelta(days=10), disks={"drive": counts}, filesystems={})
    told = {"rotational": True, **facts}
    disk = Disk(**{name: Known(told[name], "") if name in told else NOT_APPLICABLE for name in Disk.__struct_fields__})
    return of_disk(disk, Past((look,), NOW), "drive").damage_grown


def test_a_count_that_rose_says_from_where_to_where_and_since_when():
    assert grown({"pending_sectors": 2}, pending_sectors=9).value == ("unreadable sectors 2 -> 9 since 10 Nov",)


def test_a_count_that_stood_still_has_not_grown():
    assert grown({"pending_sectors": 2}, pending_sectors=2).value == ()


def test_a_count_that_no_earlier_look_has_is_not_said_to_have_stood_still():
    assert isinstance(grown({"temperature_c": 30}, pending_sectors=9), Unknown)
