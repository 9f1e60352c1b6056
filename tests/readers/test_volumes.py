"""Tricky points of the filesystems' and volumes' tools, and values of real captures."""

import json

import pytest
from msgspec import structs

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import btrfs_tools, dmsetup, ext4_reports, volume_tools, xfs_reports, zfs_tools
from fsadvisor.readers.dm_target import CacheTarget, Leg
from tests.cases import each
from tests.paths import CAPTURES, FIXTURES, needs_captures
from tests.readers.captures_volumes import mocked_outputs


def sample(name):
    return (FIXTURES / "outputs" / f"{name}.out").read_text()


def capture(name):
    return (CAPTURES / name).read_bytes().decode("utf-8", "surrogateescape")


COMPLAINTS = [
    (
        ext4_reports.parse_dumpe2fs,
        "dumpe2fs 1.47.0 (5-Feb-2023)\ndumpe2fs: Permission denied while trying to open /dev/sda1\n",
    ),
    (xfs_reports.parse_xfs_info, "xfs_info: cannot open /dev/sda1: Permission denied\n"),
    (
        volume_tools.parse_lvs,
        "  WARNING: Running as a non-root user.\n  /run/lock/lvm/P_global:aux: open failed: Permission denied\n",
    ),
    (dmsetup.parse_dmsetup_table, "/dev/mapper/control: open failed: Permission denied\nCommand failed.\n"),
    (zfs_tools.parse_zpool_list, "Permission denied the ZFS utilities must be run as root.\n"),
]


@each(("reader", "said"), COMPLAINTS)
def test_a_tool_that_was_denied_access_gives_denied(reader, said):
    assert reader(said).cause is Cause.DENIED


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (ext4_reports.parse_dumpe2fs, "dumpe2fs: No such file or directory while trying to open /dev/nosuch\n"),
        (dmsetup.parse_dmsetup_table, "/dev/mapper/control: open failed: No such device\nCommand failed.\n"),
        (
            zfs_tools.parse_zfs_get,
            "The ZFS modules are not loaded.\nTry running '/sbin/modprobe zfs' as root to load them.\n",
        ),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_a_device_or_module_that_is_not_there_gives_not_exposed(reader, said):
    assert reader(said).cause is Cause.NOT_EXPOSED


@each(
    "reader",
    [
        dmsetup.parse_dmsetup_table,
        ext4_reports.parse_dumpe2fs,
        volume_tools.parse_lvs,
        xfs_reports.parse_xfs_info,
        zfs_tools.parse_zfs_get,
        zfs_tools.parse_zpool_list,
    ],
)
def test_silence_is_not_an_empty_list(reader):
    assert isinstance(reader(""), Unknown)


@each(
    ("reader", "said", "listed"),
    [
        (dmsetup.parse_dmsetup_table, "No devices found\n", "devices"),
        (zfs_tools.parse_zpool_list, "no pools available\n", "pools"),
        (zfs_tools.parse_zfs_get, "no datasets available\n", "datasets"),
        (volume_tools.parse_lvs, '{"report": [{"lv": []}]}', "volumes"),
    ],
)
def test_a_tool_that_says_there_are_none_is_believed(reader, said, listed):
    assert getattr(reader(said), listed) == ()


def test_a_label_that_forges_a_line_of_the_superblock_leaves_that_line_unknown():
    text = sample("dumpe2fs/ext4_with_error").replace("web [red]", "x\nFS Error count:           0\n")
    record = ext4_reports.parse_dumpe2fs(text)
    assert record.error_count is None
    assert record.block_size_bytes is not None


def test_an_error_count_that_is_not_printed_is_not_zero():
    assert ext4_reports.parse_dumpe2fs(sample("dumpe2fs/ext4_fresh")).error_count is None


def test_a_feature_that_the_xfs_tool_was_too_old_for_is_unknown():
    record = xfs_reports.parse_xfs_info(
        "meta-data=/dev/sdz isize=256 agcount=4, agsize=65536 blks\n"
        "data     = bsize=4096 blocks=262144, imaxpct=25\n"
        "         = sunit=0 swidth=0 blks\n"
    )
    assert (record.crc, record.ftype, record.reflink, record.log_version) == (None,) * 4
    assert record.sunit_blocks == 0


def test_an_xfs_device_name_can_hold_what_looks_like_geometry():
    record = xfs_reports.parse_xfs_info(
        "meta-data=/srv/a crc=0 isize=1.img isize=512 agcount=4\n  = crc=1 finobt=1\ndata = bsize=4096\n"
    )
    assert record.device == "/srv/a crc=0 isize=1.img"
    assert (record.isize_bytes, record.crc) == (512, True)


def raid5_usage(allocated, shares):
    return btrfs_tools.parse_btrfs_usage(
        f"Overall:\n    Device size:\t300\n    Device allocated:\t{allocated}\n"
        f"    Device unallocated:\t120\n    Device missing:\t18446744072637906944\n\n"
        f"Data,RAID5: Size:180, Used:100 (55.56%)\n{shares}"
    )


def test_btrfs_sums_that_leave_out_raid5_are_unknown():
    with_root = raid5_usage(9, "   /dev/sda\t90\n   /dev/sdb\t90\n\nUnallocated:\n   /dev/sda\t10\n")
    without_root = raid5_usage(9, "")
    for usage in (with_root, without_root):
        assert (usage.unallocated_bytes, usage.device_size_bytes) == (None, 300)
    complete = raid5_usage(180, "   /dev/sda\t90\n   /dev/sdb\t90\n\nUnallocated:\n   /dev/sda\t10\n")
    assert complete.unallocated_bytes == 120


def test_a_btrfs_size_that_has_wrapped_below_zero_is_unknown():
    assert raid5_usage(9, "").missing_bytes is None


def test_human_units_read_as_the_bytes_within_their_rounding():
    exact = btrfs_tools.parse_btrfs_usage(sample("btrfs_usage/single"))
    human = btrfs_tools.parse_btrfs_usage(sample("btrfs_usage/single_human"))
    assert [(g.kind, g.profile) for g in exact.groups] == [(g.kind, g.profile) for g in human.groups]
    assert human.unallocated_bytes == pytest.approx(exact.unallocated_bytes, rel=0.001)


def test_a_pool_ashift_of_zero_is_left_to_the_devices():
    assert zfs_tools.parse_zpool_list("tank\t0\tONLINE\t1\t2\toff\n").pools[0].ashift is None


KEYS = ["0" * 128, "5ec2e7" * 20, ":64:logon:cryptsetup:5ec2e7-d0", "-"]


@each("key", KEYS)
def test_no_key_survives_in_a_crypt_table_whole_or_broken(key):
    whole = f"cr: 0 99 crypt aes-xts-plain64 {key} 0 8:3 4096 1 allow_discards"
    record = dmsetup.parse_dmsetup_table(whole)
    assert record.devices[0].targets[0].legs == (Leg(device="8:3", offset_sectors=4096),)
    assert record.devices[0].targets[0].detail.flags == ("allow_discards",)
    broken = f"ok: 0 1 zero\n{whole[4:]}\ncr: 0 9 crypt {key}\ncr: 0 9 crypted aes {key}\nkey {key}: x"
    if len(key) > 1:
        assert key not in str(record)
        assert key not in str(dmsetup.parse_dmsetup_table(broken))


def test_a_target_with_arguments_that_do_not_fit_has_unknown_legs():
    record = dmsetup.parse_dmsetup_table(
        "a: 0 8 striped 99999999999999999999 128 8:1 0\nb: 0 8 linear 8:1 x\nc: 0 8 new 8:1 0"
    )
    assert [device.targets[0].legs for device in record.devices] == [None, None, None]


def test_the_journal_of_a_dm_raid_and_the_metadata_of_an_integrity_target_are_legs():
    record = dmsetup.parse_dmsetup_table(
        "r: 0 8 raid raid5_ls 3 128 journal_dev 8:9 2 - 8:1 - 8:2\n"
        "i: 0 8 integrity 8:3 0 4 J 2 meta_device:8:4 internal_hash:hmac(sha256):5ec2e7\n"
        "d: 0 8 delay 8:5 0 5 8:6 0 9\n"
    )
    names = [{leg.device for leg in device.targets[0].legs} for device in record.devices]
    assert names == [{"8:1", "8:2", "8:9"}, {"8:3", "8:4"}, {"8:5", "8:6"}]
    assert "5ec2e7" not in str(record)


def test_a_logical_volume_of_two_segments_is_one_volume():
    names = [volume.lv_name for volume in volume_tools.parse_lvs(sample("lvs/striped_cached_thin")).volumes]
    assert len(names) == len(set(names)) == 5


def test_lvs_asks_for_every_column_that_its_reader_reads():
    asked = dict.fromkeys(volume_tools.LVS_ARGV[-1].split(","), "7")
    volume = volume_tools.parse_lvs(json.dumps({"report": [{"lv": [asked]}]})).volumes[0]
    assert None not in structs.asdict(volume).values()


@needs_captures
def test_captures_of_xfs_info_give_their_values():
    old = xfs_reports.parse_xfs_info(capture("insights-core/xfs_info_0.txt"))
    assert (old.crc, old.ftype, old.agcount, old.log_sunit_blocks) == (None, None, 32, 32)
    external = xfs_reports.parse_xfs_info(capture("insights-core/xfs_info_2.txt"))
    assert external.crc is False


@needs_captures
def test_captures_of_btrfs_give_their_values():
    name = "mailinglists/btrfs_usage/linux-btrfs_{}.txt"
    uncounted = btrfs_tools.parse_btrfs_usage(capture(name.format("2bf565304798")))
    assert uncounted.unallocated_bytes is None
    mixed = btrfs_tools.parse_btrfs_usage(capture(name.format("a19142469ac1")))
    assert [(g.kind, g.profile) for g in mixed.groups] == [("Data+Metadata", "single"), ("System", "single")]
    missing = btrfs_tools.parse_btrfs_usage(capture(name.format("6938ea45abe3")))
    assert missing.missing_bytes == round(3.64 * (1 << 40))
    assert missing.unallocated_bytes is not None


@needs_captures
def test_captures_of_dumpe2fs_give_their_values():
    broken = ext4_reports.parse_dumpe2fs(capture("mailinglists/dumpe2fs/linux-ext4_d4d0568d482f.txt"))
    assert broken.journal_size_bytes == 64 << 20
    assert "fast_commit" in broken.features
    old = ext4_reports.parse_dumpe2fs(capture("probert/dumpe2fs_ext4.out"))
    assert (old.journal_size_bytes, old.inode_size_bytes) == (4096 << 10, 128)


@needs_captures
def test_captures_of_device_mapper_give_their_values():
    recorded = dict(mocked_outputs(capture("libstorage-ng/lvm-cache1-mockup.xml")))
    tables = {d.name: d.targets[0] for d in dmsetup.parse_dmsetup_table(recorded["/sbin/dmsetup table"]).devices}
    assert tables["test-cache1"].detail == CacheTarget(mode="writethrough")
    assert [leg.device for leg in tables["test-cache1"].legs] == ["254:3", "254:2", "254:4"]


def test_a_pools_devices_say_what_they_hold_and_which_blocks_they_are_written_in():
    tank, old, new = zfs_tools.parse_zpool_status(sample("zpool_status/three_pools")).pools
    assert [(it.name, it.section) for it in tank.leaves()] == [
        ("/dev/sdb1", "data"),
        ("/dev/sdc1", "data"),
        ("/dev/sdd1", "data"),
        ("/dev/sde1", "data"),
        ("/dev/nvme0n1p2", "special"),
        ("/dev/nvme0n1p1", "logs"),
        ("/dev/sdf1", "spares"),
    ]
    assert (old.data_errors, new.scan) == (3, "never")


def test_where_a_scrub_was_cancelled_no_day_is_told():
    text = sample("zpool_status/three_pools").replace("scrub repaired 128K in 02:13:45 with 0 errors", "scrub canceled")
    assert zfs_tools.parse_zpool_status(text).pools[0].scan_ended is None


@each("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_pools_status_that_is_cut_short_is_no_answer(share):
    text = sample("zpool_status/three_pools")
    cut = zfs_tools.parse_zpool_status(text[: int(len(text) * share)])
    assert isinstance(cut, Unknown) or all(pool.data_errors is not None for pool in cut.pools)


def test_a_pool_without_devices_has_no_leaves():
    (pool,) = zfs_tools.parse_zpool_status("  pool: tank\n state: UNAVAIL\n").pools
    assert pool.leaves() == ()


def test_a_number_with_a_unit_is_none_of_xfs():
    text = sample("xfs_info/default")
    plain = xfs_reports.parse_xfs_info(text)
    assert plain.log_blocks is not None
    for_people = xfs_reports.parse_xfs_info(text.replace(f"blocks={plain.log_blocks}", "blocks=16.00K"))
    assert for_people.log_blocks is None


def test_lines_of_device_mapper_that_are_none_are_passed_over_beside_those_that_are():
    table = dmsetup.parse_dmsetup_table("a: 0 8 linear 8:0 0\nnonsense\n\n")
    assert [it.name for it in table.devices] == ["a"]
    good = "a: 0 8 multipath 2 0 0 0 1 1 A 0 1 0 8:0 A 0"
    status = dmsetup.parse_dmsetup_status(f"{good}\nnonsense\n{good} \n\n")
    assert [it.name for it in status.devices] == ["a", "a"]
    assert isinstance(dmsetup.parse_dmsetup_status("nonsense\n"), Unknown)
    assert isinstance(dmsetup.parse_dmsetup_status("b: 0 8 multipath 2 0 0\n"), Unknown)


@pytest.mark.parametrize("count", ["-1", "4097", "99999999999"])
def test_a_multipath_status_with_an_impossible_number_of_words_is_not_read(count):
    good = "a: 0 8 multipath 2 0 0 0 1 1 A 0 1 0 8:0 A 0"
    status = dmsetup.parse_dmsetup_status(f"{good}\nb: 0 8 multipath {count} 0 0 0 1 1 A 0 1 0 8:0 A 0\n")
    assert [it.name for it in status.devices] == ["a"]
