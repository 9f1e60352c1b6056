"""What earlier looks say of a drive, and what they can't."""

import datetime as dt

from fsadvisor.facts import NOT_APPLICABLE, Known, Unknown
from fsadvisor.readers.own_records import LOOKS_SCHEMA, EarlierLook, parse_looks
from fsadvisor.storage import Disk
from fsadvisor.survey.trends import Past, line, of_disk
from fsadvisor.survey.whole import survey
from tests.panel.servers import thin_pool_still_at_the_limit

NOW = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)


def grown(counts, **facts):
    """Of a hard disk, since one look ten days ago."""
    look = EarlierLook(schema=LOOKS_SCHEMA, when=NOW - dt.timedelta(days=10), disks={"drive": counts}, filesystems={})
    told = {"rotational": True, **facts}
    disk = Disk(**{name: Known(told[name], "") if name in told else NOT_APPLICABLE for name in Disk.__struct_fields__})
    return of_disk(disk, Past((look,), NOW), "drive").damage_grown


def test_a_count_that_rose_says_from_where_to_where_and_since_when():
    assert grown({"pending_sectors": 2}, pending_sectors=9).value == ("unreadable sectors 2 -> 9 since 10 Nov",)


def test_a_count_that_stood_still_has_not_grown():
    assert grown({"pending_sectors": 2}, pending_sectors=2).value == ()


def test_a_count_that_no_earlier_look_has_is_not_said_to_have_stood_still():
    assert isinstance(grown({"temperature_c": 30}, pending_sectors=9), Unknown)


def test_a_look_keeps_how_full_pools_are_and_the_next_one_reads_it():
    made = thin_pool_still_at_the_limit.server()
    storage = survey(made, {})
    (pool,) = (it.scope["layer"] for it in storage.subjects if it.id == "layer:dm-1")
    assert (pool.fill_percent.value, pool.fill_level_percent.value) == (78.1, 80.1)
    look = parse_looks(line(made, storage, lambda _, __: None, NOW).decode()).looks[0]
    assert look.others["vg0-pool-tpool"] == {"fill_level_percent": 81, "pool_metadata_level_percent": 71}
