"""RAID, volumes, caches and encryption between filesystems and disks."""

import json

import pytest

from fsadvisor.facts import NOT_APPLICABLE, Cause, Unknown
from fsadvisor.readers import dmsetup, volume_tools
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import disk, machine, partition, stacked

NVME = "pci0000:00/0000:00:01.0/nvme/nvme0"
TABLE, LVS = " ".join(dmsetup.DMSETUP_TABLE_ARGV), " ".join(volume_tools.LVS_ARGV)
SDA, SDB = disk("sda", number="8:0"), disk("sdb", number="8:16")
FAST = disk("nvme0n1", where=NVME, number="259:0")


def scope(at, *parts, **more):
    return next(it.scope for it in survey(machine(*parts, **more), {}).subjects if it.id == at)


def layer(name, *parts, **more):
    return scope(f"layer:{name}", *parts, **more)["layer"]


def mapped(name, number, slaves, title, uuid, **more):
    return stacked(name, number, slaves, dm__name=title, dm__uuid=uuid, **more)


def raid(level="raid5", **more):
    return stacked("md0", "9:0", ["sda", "sdb"], md__level=level, **more)


def test_what_an_array_says_of_itself():
    found = layer(
        "md0",
        SDA,
        SDB,
        raid(md__degraded="1", md__mismatch_cnt="128", md__stripe_cache_size="256"),
    )
    assert (found.md_level.value, found.md_degraded.value, found.md_mismatches.value) == ("raid5", 1, 128)
    assert (found.md_stripe_cache.value, found.members.value) == (256, 2)


@each(
    ("level", "missing", "disks", "state", "failed"),
    [
        ("raid5", "1", "4", "clean", False),
        ("raid5", "2", "4", "clean", True),
        ("raid6", "2", "4", "active", False),
        ("raid6", "3", "5", "active", True),
        ("raid1", "1", "2", "clean", False),
        ("raid1", "2", "3", "clean", False),
        ("raid1", "2", "2", "clean", True),
        ("raid1", "1", "", "clean", None),
        ("raid1", "0", "", "clean", False),
        ("raid10", "1", "4", "clean", False),
        ("raid10", "2", "4", "clean", None),
        ("raid10", "2", "4", "broken", True),
        ("raid0", "", "2", "broken", True),
        ("raid0", "", "2", "clean", False),
        ("raid5", "", "4", "clean", None),
    ],
)
def test_an_array_has_failed_where_more_is_missing_than_it_can_spare(level, missing, disks, state, failed):
    more = {name: text for name, text in (("md__degraded", missing), ("md__raid_disks", disks)) if text}
    found = layer("md0", SDA, SDB, raid(level, md__array_state=state, **more))
    assert found.md_failed.value is failed if failed is not None else isinstance(found.md_failed, Unknown)


@each(
    ("states", "slots", "synology", "missing"),
    [
        (("in_sync", "in_sync"), 32, False, 0),
        (("in_sync", "in_sync"), 8, False, 0),
        (("in_sync",) * 4, 8, False, 4),
        (("in_sync",) * 7, 8, False, 1),
        (("in_sync", "faulty"), 32, False, 31),
        (("in_sync", ""), 32, False, 30),
        (("in_sync", "in_sync"), 4, False, 2),
        (("in_sync", "in_sync"), 4, True, 0),
        (("in_sync", "faulty"), 4, True, 1),
        (("faulty", "faulty"), 4, True, 4),
    ],
)
def test_empty_slots_of_the_mirror_of_a_nas_are_no_missing_members(states, slots, synology, missing):
    known = {f"md__dev-{name}__state": it for name, it in zip("abcdefg", states, strict=False) if it}
    gone = slots - states.count("in_sync") if "" not in states else slots - 2
    files = {"/proc/sys/kernel/syno_hw_version": "DS918+"} if synology else {}
    array = raid("raid1", md__raid_disks=str(slots), md__degraded=str(gone), **known)
    assert layer("md0", SDA, SDB, array, files=files).md_degraded.value == missing


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ("1.2", "resync"),
        ("external:/md127/0", "resync (external metadata)"),
        ("", "resync"),
    ],
)
def test_the_mainboards_raid_is_told_apart_by_its_metadata(metadata, told):
    array = raid("raid1", md__consistency_policy="resync", **({"md__metadata_version": metadata} if metadata else {}))
    assert layer("md0", SDA, SDB, array).md_consistency.value == told


def test_without_copies_no_member_can_be_missing_and_none_can_differ():
    found = layer("md0", SDA, SDB, raid("raid0", md__consistency_policy="none"))
    assert NOT_APPLICABLE == found.md_degraded == found.md_mismatches == found.md_last_action


def test_a_mapped_device_tells_its_name():
    found = layer("dm-0", SDA, mapped("dm-0", "253:0", ["sda"], "vg--a-lv", "LVM-x"))
    assert found.mapped_name.value == "vg--a-lv"
    assert layer("md0", SDA, SDB, raid()).mapped_name == NOT_APPLICABLE


@pytest.mark.parametrize(
    ("kernels", "printed"), [(r"my\x20vol", "my vol"), (r"\xc3\xbc", "ü"), ("vg--a-lv", "vg--a-lv")]
)
def test_a_table_is_found_by_the_name_that_the_kernel_has(kernels, printed):
    parts = SDA, mapped("dm-0", "253:0", ["sda"], kernels, "")
    assert layer("dm-0", *parts, commands={TABLE: f"{printed}: 0 4096 linear 8:0 63\n"}).kind.value == "dm-linear"


def test_a_cache_made_without_a_word_on_its_mode_writes_back():
    parts = SDA, FAST, META, mapped("dm-0", "253:0", ["sda", "dm-1", "nvme0n1"], "vg-lv", "LVM-x")
    silent = "vg-lv: 0 4096 cache 253:1 259:0 8:0 128 0 default 0\n"
    assert layer("dm-0", *parts, commands={TABLE: META_TABLE + silent}).cache_mode.value == "writeback"


def test_a_mirror_has_no_stripe_cache():
    assert isinstance(layer("md0", SDA, SDB, raid("raid1", md__stripe_cache_size="256")).md_stripe_cache, Unknown)


@pytest.mark.parametrize(("offset", "off"), [("2048", False), ("264192", False), ("63", True)])
def test_an_arrays_data_may_start_off_the_blocks_of_a_member(offset, off):
    files = {"queue__physical_block_size": "4096", "md__dev-sda__offset": "2048", "md__dev-sdb__offset": offset}
    assert layer("md0", SDA, SDB, raid(**files)).misaligned.value is off


@pytest.mark.parametrize(("start", "off"), [(2048, False), (384, False), (129, True)])
def test_a_volume_may_start_off_the_blocks(start, off):
    parts = SDA, mapped("dm-0", "253:0", ["sda"], "vg-lv", "LVM-x", queue__physical_block_size="512")
    commands = {TABLE: f"vg-lv: 0 4096 linear 8:0 {start}\n"}
    assert layer("dm-0", *parts, commands=commands).misaligned.value is off


def test_encryption_tells_its_unit_and_flags():
    parts = SDA, mapped("dm-0", "253:0", ["sda"], "secret", "CRYPT-LUKS2-x", queue__physical_block_size="4096")
    commands = {
        TABLE: "secret: 0 4096 crypt aes-xts-plain64 :64:logon:x 0 8:0 32768 2 allow_discards sector_size:4096\n"
    }
    found = layer("dm-0", *parts, commands=commands)
    assert (found.crypt_sector_bytes.value, found.crypt_flags.value) == (4096, ("allow_discards",))
    assert found.misaligned.value is False


def volume(**columns):
    return json.dumps({"report": [{"lv": [{"vg_name": "vg", "lv_name": "x", **columns}]}]})


def test_a_thin_pool_tells_how_full_it_is():
    parts = SDA, mapped("dm-2", "253:2", ["sda"], "vg-pool-tpool", "LVM-x-tpool")
    commands = {
        TABLE: "vg-pool-tpool: 0 4096 thin-pool 253:0 253:1 128 0 0\n",
        LVS: volume(lv_dm_path="/dev/mapper/vg-pool", data_percent="91.50", metadata_percent="40.00"),
    }
    found = layer("dm-2", *parts, commands=commands)
    assert (found.fill_percent.value, found.pool_metadata_percent.value) == (91.5, 40.0)


@pytest.mark.parametrize(("uuid", "full"), [("", 91.0), ("LVM-x", None)])
def test_of_a_pool_that_no_manager_named_the_kernel_tells_how_full_it_is(uuid, full):
    pool = mapped("dm-1", "253:1", ["sda"], "docker-pool", uuid)
    commands = {
        TABLE: "docker-pool: 0 209715200 thin-pool 7:1 7:0 128 32768\n",
        " ".join(dmsetup.DMSETUP_POOLS_ARGV): "docker-pool: 0 209715200 thin-pool 41 30/100 910/1000 - rw\n",
    }
    found = layer("dm-1", SDA, pool, commands=commands)
    assert (found.fill_percent.value if full else isinstance(found.fill_percent, Unknown)) == (full or True)


def test_a_snapshot_tells_how_full_it_is():
    parts = SDA, mapped("dm-3", "253:3", ["sda"], "vg-snap", "LVM-x")
    commands = {
        TABLE: "vg-snap: 0 4096 snapshot 253:1 253:2 P 8\n",
        LVS: volume(lv_dm_path="/dev/mapper/vg-snap", data_percent="70.00"),
    }
    assert layer("dm-3", *parts, commands=commands).fill_percent.value == 70.0


def test_without_lvs_the_fill_is_not_known():
    parts = SDA, mapped("dm-3", "253:3", ["sda"], "vg-snap", "LVM-x")
    found = layer("dm-3", *parts, commands={TABLE: "vg-snap: 0 4096 snapshot 253:1 253:2 P 8\n"})
    assert isinstance(found.fill_percent, Unknown)


CACHE = "vg-lv: 0 4096 cache 253:1 {leg} 8:0 128 1 writeback smq 0\n"
META = mapped("dm-1", "253:1", ["nvme0n1"], "meta", "LVM-m")
META_TABLE = "meta: 0 4096 linear 259:0 2048\n"


def test_a_cache_on_one_drive_is_not_redundant():
    parts = SDA, FAST, META, mapped("dm-0", "253:0", ["sda", "dm-1", "nvme0n1"], "vg-lv", "LVM-x")
    bare = {"systemd-detect-virt --vm": "none\n"}
    found = layer("dm-0", *parts, commands=bare | {TABLE: META_TABLE + CACHE.format(leg="259:0")})
    assert found.cache_mode.value == "writeback"
    assert found.cache_redundant.value is False


def test_a_cache_on_a_mirror_is_redundant():
    mirror = stacked("md0", "9:0", ["nvme0n1", "sdb"], md__level="raid1")
    parts = SDA, SDB, FAST, META, mirror, mapped("dm-0", "253:0", ["sda", "dm-1", "md0"], "vg-lv", "LVM-x")
    assert layer("dm-0", *parts, commands={TABLE: META_TABLE + CACHE.format(leg="9:0")}).cache_redundant.value is True


def test_a_cache_on_a_virtual_disk_may_have_copies():
    virtual = disk("vda", where="pci0000:00/0000:00:04.0/virtio1", number="254:0")
    parts = SDA, virtual, META, FAST, mapped("dm-0", "253:0", ["sda", "dm-1", "vda"], "vg-lv", "LVM-x")
    found = layer("dm-0", *parts, commands={TABLE: META_TABLE + CACHE.format(leg="254:0")})
    assert isinstance(found.cache_redundant, Unknown)


def test_bcache_knows_its_cache_device_by_its_replacement_policy():
    parts = (
        SDA,
        FAST,
        {"/sys/block/nvme0n1/bcache/cache_replacement_policy": "[lru] fifo random"},
        {"/sys/block/sda/bcache/cache_mode": "writethrough [writeback] writearound none"},
        stacked("bcache0", "252:0", ["sda", "nvme0n1"], bcache__cache_mode="writethrough [writeback] writearound none"),
    )
    found = layer("bcache0", *parts)
    assert (found.cache_mode.value, found.cache_redundant.value) == ("writeback", False)


def test_a_bcache_without_a_cache_device_loses_nothing_with_it():
    backing = {"/sys/block/sda/bcache/cache_mode": "writethrough [writeback] writearound none"}
    mode = "writethrough [writeback] writearound none"
    top = stacked("bcache0", "252:0", ["sda"], bcache__cache_mode=mode, bcache__state="no cache")
    assert layer("bcache0", SDA, backing, top).cache_redundant.value is True
    for state in ({}, {"bcache__state": "clean"}):
        lost = stacked("bcache0", "252:0", ["sda"], bcache__cache_mode=mode, **state)
        assert isinstance(layer("bcache0", SDA, backing, lost).cache_redundant, Unknown)
    assert isinstance(layer("bcache0", SDA, top).cache_redundant, Unknown)


def test_a_cache_device_that_is_not_seen_is_not_told():
    parts = SDA, mapped("dm-0", "253:0", ["sda"], "vg-lv", "LVM-x")
    assert isinstance(layer("dm-0", *parts, commands={TABLE: CACHE.format(leg="7:7")}).cache_redundant, Unknown)


def test_the_levels_of_all_arrays_below_are_gathered():
    parts = SDA, SDB, raid(), mapped("dm-0", "253:0", ["md0"], "secret", "CRYPT-x")
    mounts = ["1 0 253:0 / /srv rw - ext4 /dev/mapper/secret rw"]
    assert scope("mount:/srv", *parts, mounts=mounts)["below"].raid_levels.value == ("raid5",)


def test_lvm_raid_counts_and_without_its_table_nothing_is_known_of_it():
    parts = SDA, SDB, mapped("dm-0", "253:0", ["sda", "sdb"], "vg-lv", "LVM-x")
    mounts = ["1 0 253:0 / /srv rw - ext4 /dev/mapper/vg-lv rw"]
    table = {TABLE: "vg-lv: 0 4096 raid raid6_zr 3 128 region_size 4096 2 - 8:0 - 8:16\n"}
    assert scope("mount:/srv", *parts, mounts=mounts, commands=table)["below"].raid_levels.value == ("raid6",)
    assert isinstance(scope("mount:/srv", *parts, mounts=mounts)["below"].raid_levels, Unknown)


def test_a_hard_disk_below_a_volume_whose_table_is_denied_may_be_a_member_of_an_array():
    table = {TABLE: Unknown(Cause.DENIED, "run as root")}
    volume = mapped("dm-0", "253:0", ["sda"], "vg-lv", "LVM-x")
    hard = [disk(name, number=number, queue__rotational="1") for name, number in (("sda", "8:0"), ("sdb", "8:16"))]
    members = [
        scope(f"disk:{name}", *hard, volume, commands=table, root=False)["disk"].member_of for name in ("sda", "sdb")
    ]
    assert [members[0].learn, members[1].value] == ["run as root", "neither"]


def test_files_are_read_ahead_as_the_device_right_below_says():
    sda = disk("sda", number="8:0", queue__read_ahead_kb="128")
    parts = sda, partition("sda", "sda1", "8:1"), raid(queue__read_ahead_kb="4096"), SDB
    mounts = ["1 0 8:1 / / rw - ext4 /dev/sda1 rw", "2 0 9:0 / /srv rw - xfs /dev/md0 rw"]
    assert scope("mount:/", *parts, mounts=mounts)["below"].read_ahead_kib.value == 128
    assert scope("mount:/srv", *parts, mounts=mounts)["below"].read_ahead_kib.value == 4096


def test_btrfs_reads_ahead_on_its_own():
    parts = disk("sda", queue__read_ahead_kb="128")
    mounts = ["1 0 0:40 / /srv rw - btrfs /dev/sda rw"]
    found = scope("mount:/srv", parts, mounts=mounts, files={"/sys/fs/btrfs/0a/devices/sda": ""})["below"]
    assert isinstance(found.read_ahead_kib, Unknown)


def test_what_a_logical_volume_is_only_its_table_tells():
    parts = SDA, mapped("dm-0", "253:0", ["sda"], "vg-pool-tpool", "LVM-x-tpool")
    assert layer("dm-0", *parts).kind.learn == "install dmsetup"
    other = {TABLE: "other: 0 8 linear 8:0 2048\n"}
    assert layer("dm-0", *parts, commands=other).kind.cause is Cause.NOT_EXPOSED


@each(
    ("uuid", "kind"),
    [
        ("CRYPT-LUKS2-x", "dm-crypt"),
        ("CRYPT-VERITY-x", "dm-verity"),
        ("CRYPT-INTEGRITY-x", "dm-integrity"),
        ("mpath-x", "dm-multipath"),
        ("part1-mpath-x", "dm-linear"),
    ],
)
def test_other_mapped_devices_are_known_by_the_tool_that_made_them(uuid, kind):
    assert layer("dm-0", SDA, mapped("dm-0", "253:0", ["sda"], "some", uuid)).kind.value == kind
