"""What each kind of filesystem says of itself."""

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers import xfs_reports, zfs_tools
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.panel.servers import xfs_log_on_one_drive
from tests.told import disk, machine, partition, stacked

UUID = "/sys/fs/btrfs/1b671a64"
DUMPE2FS = """Filesystem features:      has_journal extent huge_file 64bit
Block size:               4096
"""


def mounted(kind, options="rw", own="rw,relatime", source="/dev/sda", number="8:0"):
    return f"1 0 {number} / /srv {own} - {kind} {source} {options}"


def filesystem(made):
    return next(it for it in survey(made, {}).subjects if it.id == "mount:/srv").scope["filesystem"]


def of(kind, options="rw", own="rw,relatime", *parts, **more):
    return filesystem(machine(disk("sda"), *parts, mounts=[mounted(kind, options, own)], **more))


def ext4(text=DUMPE2FS, options="rw", own="rw,relatime", **more):
    return of("ext4", options, own, commands={"dumpe2fs -h /dev/sda": text}, **more)


@pytest.mark.parametrize("option", ["emergency_ro", "shutdown"])
def test_an_ext4_says_in_its_options_that_it_is_shut_down(option):
    assert ext4(options=f"rw,{option}").shut_down.value is True


def test_a_superblock_that_became_read_only_under_a_writable_mount_is_shut_down():
    assert ext4(options="ro", own="rw,relatime").shut_down.value is True


def test_a_filesystem_that_was_mounted_read_only_is_not_shut_down():
    assert ext4(options="ro", own="ro,relatime").shut_down.value is False


def test_an_ext4_whose_format_is_read_only_is_not_shut_down():
    text = DUMPE2FS.replace("has_journal", "read-only")
    assert ext4(text, options="ro").shut_down.value is False


def test_whether_a_read_only_ext4_is_so_by_its_format_is_unknown_without_dumpe2fs():
    assert isinstance(of("ext4", "ro").shut_down, Unknown)


def test_an_archive_without_mountinfo_does_not_tell_whose_read_only_it_is():
    gone = Unknown(Cause.NOT_EXPOSED, "")
    files = {"/proc/self/mountinfo": gone, "/proc/mounts": "/dev/sda /srv ext4 ro,relatime 0 0\n"}
    assert isinstance(filesystem(machine(disk("sda"), files=files)).shut_down, Unknown)


def remembered(errors, kernel):
    return ext4(files={"/sys/fs/ext4/sda/errors_count": errors, "/proc/sys/kernel/osrelease": kernel}).shut_down


def test_an_ext4_with_errors_may_be_stopped_though_its_kernel_says_rw():
    assert remembered("1", "6.12.117").cause is Cause.NOT_EXPOSED
    assert remembered("0", "6.12.117").value is False
    assert remembered("1", "6.15.0").value is False
    assert isinstance(of("ext4").shut_down, Unknown)


@pytest.mark.parametrize(("writeable", "expected"), [("1", True), ("0", False)])
def test_a_btrfs_that_may_be_written_and_is_not_is_shut_down_and_a_seed_is_not(writeable, expected):
    files = {f"{UUID}/devices/sda": "", f"{UUID}/devinfo/1/writeable": writeable}
    assert of("btrfs", "ro", files=files).shut_down.value is expected


def test_an_xfs_that_xfs_info_can_not_open_is_shut_down():
    made = machine(disk("sda"), mounts=[mounted("xfs")])
    argv = " ".join(xfs_reports.xfs_info_argv("/srv"))
    made.commands[argv] = "xfs_info: cannot open /srv: Input/output error\n"
    made.statuses[argv] = 1

    assert filesystem(made).shut_down.value is True


def test_an_xfs_that_may_not_be_asked_is_not_known_to_be_shut_down():
    assert isinstance(of("xfs").shut_down, Unknown)


def test_a_file_of_an_ext4_with_extents_may_have_almost_16_tib():
    assert ext4().maximum_file_bytes.value == (1 << 44) - 4096


def test_an_ext4_that_was_told_of_no_stripes_says_zero():
    assert ext4().stripe_unit_bytes.value == 0
    assert ext4().stripe_width_bytes.value == 0


def test_the_stripe_that_an_ext4_was_told_of_is_in_bytes():
    found = ext4(f"{DUMPE2FS}RAID stride:              16\nRAID stripe width:        32\n")
    assert (found.stripe_unit_bytes.value, found.stripe_width_bytes.value) == (65536, 131072)


def test_errors_in_the_superblock_count_where_the_kernel_does_not():
    assert ext4(f"{DUMPE2FS}FS Error count:           3\n").errors.value == 3
    assert ext4(files={"/sys/fs/ext4/sda/errors_count": "0"}).errors.value == 0


def journalled(journal, *jbd2, options="rw\ndata=ordered\n"):
    header = f"{DUMPE2FS}{journal}"
    files = {"/proc/fs/ext4/sda/options": options, **{f"/proc/fs/jbd2/{name}/info": "" for name in jbd2}}
    made = machine(
        disk("sda"),
        disk("sdb", number="8:16"),
        mounts=[mounted("ext4")],
        commands={"dumpe2fs -h /dev/sda": header} if journal is not None else {},
        files=files,
    )
    if "sda-8" not in jbd2:
        del made.files["/proc/fs/jbd2/sda-8/info"]
    return filesystem(made)


def test_an_ext4_lives_on_the_device_of_its_journal_too():
    found = journalled("Journal device:\t          0x0810\n", "sdb")
    assert (found.devices.value, found.device_count.value) == (("sda", "sdb"), 2)
    assert found.devices.source == "/proc/self/mountinfo, dumpe2fs"
    assert journalled("Journal inode:            8\n", "sda-8").devices.value == ("sda",)


def test_a_journal_on_a_device_that_can_not_be_found_leaves_the_devices_unknown():
    assert isinstance(journalled("Journal device:\t          0x0820\n", "sdc").devices, Unknown)
    assert isinstance(journalled(None, "sdb").devices, Unknown)


def test_options_that_can_not_be_read_leave_room_for_a_journal_elsewhere():
    assert isinstance(journalled(None, options="").devices, Unknown)
    assert isinstance(journalled(None, options=Unknown(Cause.DENIED, "run as root")).devices, Unknown)
    assert journalled(None, options="rw\nerrors=continue\n").devices.value == ("sda",)


def test_the_read_ahead_of_a_filesystem_is_not_that_of_its_log():
    data, log = (disk("sda", queue__read_ahead_kb="64"), disk("sdb", number="8:16", queue__read_ahead_kb="128"))
    made = machine(data, log, mounts=[mounted("xfs", "rw,logdev=/dev/sdb")])
    below = next(it for it in survey(made, {}).subjects if it.id == "mount:/srv").scope["below"]
    assert below.read_ahead_kib.value == 64


@each(
    ("options", "rotational"),
    [
        ("rw,logdev=/dev/sdb", (True, False, True)),
        ("rw,logdev=/dev/sda1", (False, False, False)),
        ("rw,rtdev=/dev/sdb", (True, True, False)),  # files are there
        ("rw,logdev=/dev/sda1,rtdev=/dev/sdb", (True, True, False)),
        ("rw,logdev=/dev/sdb,rtdev=/dev/sda1", (True, False, True)),
        ("rw,logdev=/dev/gone", (None, None, None)),
        ("rw,logdev=/dev/sdb,rtdev=/dev/gone", (True, None, True)),
        ("rw", (False, False, False)),
    ],
)
def test_a_hard_disk_of_an_external_log_is_not_one_of_the_data(options, rotational):
    parts = [disk("sda"), partition("sda", "sda1", "8:1"), disk("sdb", number="8:16", queue__rotational="1")]
    made = machine(*parts, mounts=[mounted("xfs", options)])
    below = next(it for it in survey(made, {}).subjects if it.id == "mount:/srv").scope["below"]
    facts = (below.any_rotational, below.data_rotational, below.log_rotational)
    assert tuple(None if isinstance(it, Unknown) else it.value for it in facts) == rotational


@each(
    ("level", "log", "machine_is", "lost"),
    [
        ("raid1", "sdd1", "none", True),
        ("raid1", "sdd1", "kvm", None),  # a hypervisor may have copies
        ("raid1", "md0", "none", False),
        ("raid0", "sdd1", "none", False),  # the data are lost as well
    ],
)
def test_a_log_on_one_drive_is_lost_before_data_on_a_mirror(level, log, machine_is, lost):
    made = xfs_log_on_one_drive.server(level, log)
    made.commands["systemd-detect-virt --vm"] = f"{machine_is}\n"
    found = next(it for it in survey(made, {}).subjects if it.id == "mount:/srv").scope["below"].log_lost_before_data
    assert (None if isinstance(found, Unknown) else found.value) is lost, found


def test_noload_leaves_a_journal_alone():
    assert journalled("", options="rw\nnorecovery\n").journal.value is False


@pytest.mark.parametrize(("size", "known"), [((1 << 30) - 4096, True), (1 << 30, False), (None, False)])
def test_an_f2fs_larger_than_its_device_lives_on_another_too(size, known):
    spaces = {"/srv": {"size": size}} if size else {}
    assert isinstance(of("f2fs", spaces=spaces).devices, Unknown) is not known


def test_a_btrfs_counts_the_devices_that_are_missing():
    files = {f"{UUID}/devices/sda": "", **{f"{UUID}/devinfo/{it}/writeable": "1" for it in (0, 1, 2)}}
    assert of("btrfs", files=files).device_count.value == 2


@pytest.mark.parametrize(
    ("groups", "mixed"),
    [
        (["Data,single: Size:8388608, Used:0", "Data,RAID1: Size:9, Used:5"], ()),
        (["Data,single: Size:8388608, Used:4096", "Data,RAID1: Size:9, Used:5"], ("data: single beside raid1",)),
        (["Metadata,DUP: Size:9, Used:5", "Metadata,RAID1C3: Size:9, Used:5"], ("metadata: dup beside raid1c3",)),
        (["Data,RAID6: Size:9, Used:5", "Data,RAID1: Size:9, Used:5"], ()),
        (["Data,RAID0: Size:9, Used:5", "Data,single: Size:9, Used:5"], ()),
        (["Data,single: Size:9, Used:?", "Data,RAID1: Size:9, Used:5"], None),
    ],
)
def test_a_btrfs_has_mixed_profiles_where_what_is_used_differs_in_copies(groups, mixed):
    usage = "\n\n".join(("Overall:\n    Device size:\t\t99", *groups)) + "\n"
    found = of("btrfs", "rw", "rw", commands={"btrfs filesystem usage -b /srv": usage}).mixed_profiles
    assert isinstance(found, Unknown) if mixed is None else found.value == mixed


def array(level, **more):
    return machine(
        disk("sda"),
        disk("sdb", number="8:16"),
        partition("sda", "sda1", "8:1"),
        stacked("md0", "9:0", ["sda1", "sdb"], md__level=level, md__chunk_size="65536", md__raid_disks="2", **more),
        mounts=[mounted("xfs", source="/dev/md0", number="9:0")],
    )


def test_a_striped_array_gives_chunk_and_width():
    found = filesystem(array("raid0", queue__optimal_io_size="131072"))
    assert (found.raid_chunk_bytes.value, found.raid_stripe_bytes.value) == (65536, 131072)


def test_a_mirror_and_a_plain_disk_have_no_stripes():
    assert filesystem(array("raid1")).raid_chunk_bytes.value == 0
    assert of("xfs").raid_stripe_bytes.value == 0


def volume(table, uuid="LVM-x", **more):
    return machine(
        disk("sda"),
        disk("sdb", number="8:16"),
        stacked("dm-0", "253:0", ["sda", "sdb"], dm__name="vg-lv", dm__uuid=uuid, **more),
        mounts=[mounted("ext4", source="/dev/mapper/vg-lv", number="253:0")],
        commands={"dmsetup table": f"vg-lv: 0 4096 {table}\n"} if table else {},
    )


@each(
    ("table", "chunk", "width"),
    [
        ("striped 2 128 8:0 2048 8:16 2048", 65536, 131072),
        ("raid raid5_ls 3 128 region_size 4096 3 - 8:0 - 8:16 - 8:32", 65536, 131072),
        ("raid raid1 3 0 region_size 4096 2 - 8:0 - 8:16", 0, 0),
        ("linear 8:0 2048", 0, 0),
    ],
)
def test_a_striped_volume_gives_chunk_and_width(table, chunk, width):
    found = filesystem(volume(table, queue__optimal_io_size="131072"))
    assert (found.raid_chunk_bytes.value, found.raid_stripe_bytes.value) == (chunk, width)


def test_a_volume_striped_in_part_is_not_followed():
    striped = "striped 2 128 8:0 2048 8:16 2048\nvg-lv: 4096 4096"
    assert isinstance(filesystem(volume(f"{striped} linear 8:0 9999")).raid_chunk_bytes, Unknown)
    assert isinstance(filesystem(volume(f"{striped} striped 2 64 8:0 9 8:16 9")).raid_chunk_bytes, Unknown)


def test_without_its_table_nothing_is_known_of_a_volumes_stripes():
    assert isinstance(filesystem(volume("")).raid_chunk_bytes, Unknown)
    assert filesystem(volume("", uuid="CRYPT-LUKS2-x")).raid_chunk_bytes.value == 0


def test_a_volume_that_the_tables_leave_out_is_not_taken_for_one_without_stripes():
    made = volume("striped 2 128 8:0 2048 8:16 2048")
    made.commands["dmsetup table"] = "vg-other: 0 4096 linear 8:0 2048\n"
    assert isinstance(filesystem(made).raid_chunk_bytes, Unknown)


def test_a_width_that_the_members_have_spoilt_is_not_believed():
    assert isinstance(filesystem(array("raid0", queue__optimal_io_size="33553920")).raid_stripe_bytes, Unknown)


@pytest.mark.parametrize(
    ("option", "expected"), [("space_cache", "v1"), ("space_cache=v2", "v2"), ("nospace_cache", "none")]
)
def test_btrfs_prints_its_space_cache(option, expected):
    assert of("btrfs", f"rw,{option}").space_cache.value == expected


def quota(kernel="6.12.0", **files):
    inside = {f"{UUID}/{path.replace('__', '/')}": text for path, text in files.items()}
    return of("btrfs", files={f"{UUID}/devices/sda": "", "/proc/sys/kernel/osrelease": kernel, **inside})


def test_quotas_are_off_where_the_kernel_would_show_them():
    assert quota().quota.value == "off"
    assert isinstance(quota("5.4.0").quota, Unknown)


@pytest.mark.parametrize(("mode", "expected"), [({}, "qgroup"), ({"qgroups__mode": "squota"}, "squota")])
def test_quotas_that_are_on_have_a_kind(mode, expected):
    assert quota(qgroups__enabled="1", **mode).quota.value == expected


def test_one_limit_of_a_quota_group_is_enough():
    found = quota(qgroups__enabled="1", qgroups__0_5__limit_flags="0", qgroups__0_256__limit_flags="1")
    assert found.quota_limits.value is True
    assert quota(qgroups__enabled="1", qgroups__0_5__limit_flags="0").quota_limits.value is False


def test_f2fs_without_checkpoints_is_told_by_its_options():
    assert of("f2fs", "rw,checkpoint=disable:0").checkpoints.value is False
    assert of("f2fs", "rw,fsync_mode=posix").checkpoints.value is True


@each(
    ("kind", "options", "expected"),
    [
        ("f2fs", "rw,discard", "async"),
        ("f2fs", "rw,nodiscard", "none"),
        ("f2fs", "rw", None),
        ("nilfs2", "rw,discard", "sync"),
        ("nilfs2", "rw", "none"),
    ],
)
def test_log_structured_filesystems_say_whether_they_discard(kind, options, expected):
    told = of(kind, options).online_discard
    assert told.value == expected if expected else isinstance(told, Unknown)


def zfs(parameters=("0", "0")):
    module = "/sys/module/zfs/parameters"
    return filesystem(
        machine(
            mounts=[mounted("zfs", source="tank/pg", number="0:40")],
            files={f"{module}/zfs_nocacheflush": parameters[0], f"{module}/zil_nocacheflush": parameters[1]},
            commands={
                " ".join(zfs_tools.ZPOOL_LIST_ARGV): "tank\t12\tDEGRADED\t42\t3\toff\n",
                " ".join(zfs_tools.ZFS_GET_ARGV): "".join(
                    f"tank/pg\t{key}\t{value}\n"
                    for key, value in [
                        ("recordsize", "131072"),
                        ("sync", "disabled"),
                        ("atime", "on"),
                        ("relatime", "on"),
                    ]
                ),
            },
        )
    )


def test_a_zfs_dataset_is_found_by_the_source_of_its_mount():
    found = zfs()
    assert (found.zfs_dataset.value, found.zfs_pool.value) == ("tank/pg", "tank")
    assert (found.zfs_pool_health.value, found.zfs_pool_ashift.value) == ("DEGRADED", 12)
    assert (found.zfs_sync.value, found.zfs_recordsize_bytes.value, found.zfs_atime.value) == (
        "disabled",
        131072,
        "relatime",
    )
    assert found.zfs_logbias.cause is Cause.NOT_EXPOSED


def test_zfs_parameters_tell_whether_it_flushes():
    assert (zfs().barriers.value, zfs().zfs_log_flushes.value) == (True, True)
    assert (zfs(("1", "1")).barriers.value, zfs(("1", "1")).zfs_log_flushes.value) == (False, False)


def test_a_zfs_that_no_tool_can_be_asked_about_is_unknown():
    found = filesystem(machine(mounts=[mounted("zfs", source="tank", number="0:40")]))
    assert found.zfs_sync.cause is Cause.NO_TOOL
    assert isinstance(found.barriers, Unknown)


def test_a_journal_has_a_size_as_tune2fs_takes_it():
    assert ext4(f"{DUMPE2FS}Total journal size:       64M\n").journal_mib.value == 64


@pytest.mark.parametrize(("flags", "expected"), [("0x0", False), ("0x800000", True)])
def test_an_old_file_in_a_flagged_folder_is_looked_at_itself(flags, expected):
    running = [{"pid": 1, "name": "postgres", "user": "x", "cwd": "/srv/pg", "paths": [], "denied": False}]
    made = machine(disk("sda"), mounts=[mounted("btrfs")], processes=running)
    made.inode_flags = {"/srv/pg": "0x800000", "/srv/pg/global/pg_control": flags}
    (service,) = [it.scope["service"] for it in survey(made, {}).subjects if it.kind == "service"]

    assert service.nocow.value is True
    assert service.nocow_file.value is expected


def test_inodes_in_use_are_counted_where_there_is_a_table():
    spaces = {"/srv": {"size": 1, "free": 1, "available": 1, "inodes": 1000, "inodes_free": 600}}
    assert ext4(spaces=spaces).inodes_used.value == 400
    assert isinstance(of("btrfs", spaces=spaces).inodes_used, Unknown)
