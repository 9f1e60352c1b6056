"""What is refused, what is warned of, and that knowing less never permits more."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Known
from fsadvisor.measure.probe.cost import NOTHING
from fsadvisor.measure.probe.guard import findings
from fsadvisor.measure.probe.target import WARNED
from tests.cases import each
from tests.probe.places import (
    COST,
    DATA,
    FULL_QUOTA,
    GIB,
    GOOD,
    NOT_TOLD,
    ROOM,
    known,
    with_drive,
    with_fact,
    with_pool,
    with_raid,
    with_room,
)

REFUSED = {
    "a block device": (with_fact(kind="block device"), "directory where its filesystem is mounted"),
    "a file": (with_fact(kind="file"), "name the directory that it is in"),
    "a FIFO": (with_fact(kind="FIFO"), "not a directory"),
    "nothing": (with_fact(kind="absent"), "does not exist"),
    "a folder of others": (with_fact(kind="not to be reached"), "run as root"),
    "no telling what": (replace(GOOD, kind=NOT_TOLD), "could not be told"),
    "NFS": (with_fact(fs_type="nfs4"), "over a network"),
    "virtiofs": (with_fact(fs_type="virtiofs"), "over a network"),
    "proc": (with_fact(fs_type="proc"), "not known to keep files on a disk"),
    "some FUSE": (with_fact(fs_type="fuse.mergerfs"), "not known to keep files on a disk"),
    "an unknown type": (replace(GOOD, fs_type=NOT_TOLD), "could not be told"),
    "read-only": (with_fact(read_only=True), "read-only"),
    "read-only unknown": (replace(GOOD, read_only=NOT_TOLD), "takes writes could not be told"),
    "shut down": (with_fact(shut_down=True), "stopped by the kernel"),
    "not ours to write": (with_fact(may_write=False), "you may not write"),
    "damaged": (with_fact(errors=3), "remembers 3 errors"),
    "too little room": (
        with_room(available_bytes=700 << 20),
        "has 700 MiB free. The probe takes 256 MiB, and 3 times that",
    ),
    "room unknown": (replace(GOOD, room=NOT_TOLD), "how much free space"),
    "no inodes": (with_room(inodes_free=2), "2 free inodes"),
    "a full host under a loop device": (
        with_fact(behind=(replace(ROOM, where="/images", available_bytes=10 << 20),)),
        "/images has 10 MiB free",
    ),
    "room under a loop device unknown": (replace(GOOD, behind=NOT_TOLD), "behind loop devices"),
    "a quota": (with_fact(quota=FULL_QUOTA), "quota in /srv/data leaves 10 MiB"),
    "memory": (with_fact(memory_bytes=500 << 20, fs_type="tmpfs"), "of which 500 MiB can be had"),
    "a battery": (with_fact(on_battery=True), "plug it in"),
    "a small drive": (with_drive(size_bytes=known(9 * GIB)), "over a fifth of nvme0n1"),
    "a worn drive": (with_drive(percentage_used=known(104)), "104 % of the endurance"),
    "a failing drive": (with_drive(smart_passed=known(False)), "failing"),
    "a warning drive": (with_drive(critical_warning=known(8)), "failing"),
    "a rebuild": (with_raid(action=known("recover"), degraded=known(True)), "wait until it is done"),
    "a full pool": (with_pool(fill_percent=known(96.0)), "96 % used"),
    "full metadata of a pool": (with_pool(metadata_percent=known(91.0)), "metadata"),
    "fill of a pool unknown": (with_pool(fill_percent=NOT_TOLD), "run as root"),
    "a database": (with_fact(data_folder=DATA), "--yes-in-data-directory"),
    "another probe": (with_fact(busy="you"), "another probe runs"),
}
WARNINGS = {
    "tmpfs": (with_fact(fs_type="tmpfs"), "no figure tells of a disk"),
    "overlay": (with_fact(fs_type="overlay"), "upper directory"),
    "nearly full": (with_room(available_bytes=9 * GIB), "nearly full"),
    "a twentieth": (with_room(size_bytes=4 * GIB, available_bytes=3 * GIB), "over a twentieth"),
    "errors unknown": (replace(GOOD, errors=NOT_TOLD), "remembers errors could not be told"),
    "quota unknown": (replace(GOOD, quota=NOT_TOLD), "quota"),
    "battery unknown": (replace(GOOD, on_battery=NOT_TOLD), "battery"),
    "an old drive": (with_drive(percentage_used=known(93)), "93 %"),
    "wear unknown": (with_drive(percentage_used=NOT_TOLD), "how worn nvme0n1 is could not be told"),
    "health unknown": (with_drive(smart_passed=NOT_TOLD), "failing could not be told"),
    "drives unknown": (replace(GOOD, drives=NOT_TOLD), "which drives"),
    "a day's writing": (with_drive(size_bytes=known(100 * GIB), day_bytes=known(GIB)), "average day"),
    "a degraded RAID": (with_raid(degraded=known(True)), "degraded"),
    "a check": (with_raid(action=known("check")), "at its check"),
    "RAID unknown": (with_raid(action=NOT_TOLD), "being rebuilt could not be told"),
    "database unknown": (replace(GOOD, data_folder=NOT_TOLD), "belongs to a database"),
    "busy unknown": (replace(GOOD, busy=NOT_TOLD), "another probe"),
}


def test_nothing_speaks_against_a_good_place():
    assert findings(COST, GOOD) == ()


@each("case", REFUSED)
def test_a_bad_place_is_refused_with_what_where_and_what_to_do(case):
    place, words = REFUSED[case]
    found = findings(COST, place)
    assert [it.level for it in found[:1]] == ["refused"]
    assert any(words in it.says for it in found if it.level == "refused"), found


@each("case", WARNINGS)
def test_a_doubtful_place_is_warned_of(case):
    place, words = WARNINGS[case]
    found = findings(COST, place)
    assert {it.level for it in found} == {"warning"}
    assert any(words in it.says for it in found), found


def test_a_database_directory_is_entered_only_where_that_is_said():
    place = with_fact(data_folder=DATA)
    assert findings(COST, place, in_data_directory=True) == ()


def test_reading_what_is_there_asks_nothing_about_writing():
    place = replace(
        GOOD,
        read_only=known(True),
        errors=known(2),
        room=NOT_TOLD,
        quota=NOT_TOLD,
        pools=NOT_TOLD,
        data_folder=NOT_TOLD,
    )
    assert findings(NOTHING, place) == ()


def test_a_disk_of_a_hypervisor_is_asked_neither_for_wear_nor_for_health():
    place = with_drive(
        virtual=known(True), percentage_used=NOT_TOLD, smart_passed=NOT_TOLD, critical_warning=NOT_APPLICABLE
    )
    assert findings(COST, place) == ()


def test_what_makes_no_sense_here_speaks_against_nothing():
    place = replace(GOOD, errors=NOT_APPLICABLE, shut_down=NOT_APPLICABLE, drives=NOT_APPLICABLE)
    assert findings(COST, place) == ()


# Taking facts away

_RANK = {None: 0, "warning": 1, "refused": 2}


def forgotten(thing, draw):
    """The same with any of its facts, however deep, not told."""
    if isinstance(thing, Known):
        return NOT_TOLD if draw(st.booleans()) else Known(forgotten(thing.value, draw), thing.source)
    if isinstance(thing, tuple):
        return tuple(forgotten(it, draw) for it in thing)
    if isinstance(thing, msgspec.Struct) and not isinstance(thing, type(NOT_TOLD)):
        return replace(thing, **{it: forgotten(getattr(thing, it), draw) for it in thing.__struct_fields__})
    return thing


def mixed(draw):
    """A place whose facts come from any of the places above, known or not."""
    sources = [GOOD, *(place for place, _ in (REFUSED | WARNINGS).values())]
    return replace(GOOD, **{it: getattr(draw(st.sampled_from(sources)), it) for it in GOOD.__struct_fields__})


def levels(found):
    worst = {}
    for it in found:
        worst[it.question] = max(worst.get(it.question, 0), _RANK[it.level])
    return worst


@given(st.data())
def test_taking_facts_away_never_permits_more(data):
    """No question that spoke falls silent; a refusal softens only where the unknown is said to be a warning."""
    place = mixed(data.draw)
    before, after = levels(findings(COST, place)), levels(findings(COST, forgotten(place, data.draw)))
    if "kind" in after:
        return  # refused, and nothing else is asked
    for question, rank in before.items():
        least = min(rank, _RANK["warning"]) if question in WARNED else rank
        assert after.get(question, 0) >= least, question


@given(st.data())
def test_a_place_of_which_nothing_is_known_is_refused(data):
    place = mixed(data.draw)
    blind = replace(place, **{it: NOT_TOLD for it in place.__struct_fields__ if it != "target"})
    assert findings(COST, blind)[0].level == "refused"
