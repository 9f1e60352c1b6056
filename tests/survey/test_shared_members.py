"""Which disks take an array with them, and which slow a mirror down, by how its members lie on them."""

import pytest

from fsadvisor.facts import Unknown
from fsadvisor.storage import by_name
from fsadvisor.survey.whole import survey
from tests.panel import build
from tests.panel.servers import mirror_of_ssd_and_hard_disk as mixed
from tests.panel.servers import raid5_two_members_on_one_disk as panel

ON_SDA = ("sda1", "sda2")


def fatal(made, layer="md0"):
    return by_name(survey(made, {}).subjects)[layer].scope["layer"].md_fatal_disks


@pytest.mark.parametrize(
    ("level", "spares", "disks"),
    [
        ("raid5", (), ("sda",)),
        ("raid4", (), ("sda",)),
        ("raid6", (), ()),  # it can lose two
        ("raid5", ("sda2",), ()),  # a spare holds nothing yet
    ],
)
def test_a_disk_is_fatal_that_holds_more_members_at_work_than_may_be_lost(level, spares, disks):
    assert fatal(panel.server(level, spares)).value == disks


@pytest.mark.parametrize(
    ("slots", "layout", "disks"),
    [
        ({"sda1": 0, "sda2": 1, "sdb1": 2, "sdc1": 3}, 0x102, ("sda",)),  # both copies
        ({"sda1": 0, "sda2": 2, "sdb1": 1, "sdc1": 3}, 0x102, ()),
        ({"sda1": 0, "sda2": 2, "sdb1": 1, "sdc1": 3}, 0x201, None),  # far copies lie otherwise
    ],
)
def test_of_raid_10_it_counts_whether_a_pair_is_on_one_disk(slots, layout, disks):
    told = {f"md__dev-{name}__slot": str(slot) for name, slot in slots.items()} | {"md__layout": str(layout)}
    fact = fatal(panel.server("raid10", **told))
    assert isinstance(fact, Unknown) if disks is None else fact.value == disks


def test_a_member_whose_state_is_not_told_leaves_it_open():
    assert isinstance(fatal(panel.server(**{"md__dev-sda2__state": "\0"})), Unknown)


def test_members_that_are_mirrors_survive_a_disk_that_they_share():
    boot, disks = build.nvme(0, build.PM9A3), [build.hdd(at) for at in range(2)]
    parts = [[disk.partition(number, start=number * 1_000_000_000)[0] for disk in disks] for number in (1, 2, 3)]
    mirrors = [build.md(f"md{at}", f"9:{at}", "raid1", pair) for at, pair in enumerate(parts, start=1)]
    top = build.md("md0", "9:0", "raid5", ["md1", "md2", "md3"])
    made = build.server(
        boot, *disks, layers=[*mirrors, top], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")]
    )
    assert fatal(made).value == ()


def test_legs_of_an_lvm_raid_5_on_one_disk_are_counted_without_their_metadata():
    disks = [build.sata(at) for at in range(2)]
    parts = [
        disks[0].partition(2, start=209_717_248)[0],
        disks[0].partition(3, start=500_000_000)[0],
        disks[1].partition(1)[0],
    ]
    names = [f"data_{kind}_{at}" for at in range(3) for kind in ("rmeta", "rimage")]
    legs = [build.volume(f"dm-{at}", f"253:{at}", [parts[at // 2]], f"vg0-{name}") for at, name in enumerate(names)]
    numbers = ["8:2", "8:3", "8:17"]
    tables = (
        "vg0-data: 0 838860800 raid raid5_ls 3 128 region_size 4096 3 253:0 253:1 253:2 253:3 253:4 253:5\n"
        + "".join(f"vg0-{name}: 0 838860800 linear {numbers[at // 2]} 2048\n" for at, name in enumerate(names))
    )
    made = build.server(
        *disks,
        layers=[*legs, build.volume("dm-6", "253:6", [f"dm-{at}" for at in range(6)], "vg0-data")],
        mounts=[build.root(disks[0]), build.Mount("/srv", "dm-6", "253:6")],
        commands={"dmsetup table": tables} | build.lvs({"lv_name": "data", "lv_dm_path": "/dev/mapper/vg0-data"}),
    )
    assert fatal(made, "dm-6").value == ("sda",)


@pytest.mark.parametrize(
    ("state", "slow"), [("in_sync", ("sdb1",)), ("in_sync,write_mostly", ()), ("write_mostly,in_sync", ())]
)
def test_a_hard_disk_in_a_mirror_beside_an_ssd_is_slow_unless_it_is_write_mostly(state, slow):
    subjects = by_name(survey(mixed.server(state), {}).subjects)
    assert subjects["md0"].scope["layer"].md_slow_members.value == slow
