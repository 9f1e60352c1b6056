"""What stands on what, down to hardware."""

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.opening import open_machine
from fsadvisor.machine.port import Wrapped
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.paths import FIXTURES
from tests.told import disk, machine, partition, stacked

NVME = "pci0000:00/0000:00:01.0/nvme/nvme0"


def subjects(made, declared=None):
    return {subject.id: subject for subject in survey(made, declared or {}).subjects}


def below(subject):
    return subject.scope["below"]


def test_a_mount_is_followed_through_partition_and_crypt_and_raid_to_every_disk():
    found = subjects(
        machine(
            disk("sda", number="8:0"),
            disk("sdb", number="8:16"),
            partition("sda", "sda1", "8:1"),
            stacked("md0", "9:0", ["sda1", "sdb"], md__level="raid1"),
            stacked("dm-0", "253:0", ["md0"], dm__name="secret", dm__uuid="CRYPT-LUKS2-x-secret"),
            mounts=["1 0 253:0 / /srv rw,relatime - ext4 /dev/mapper/secret rw"],
        )
    )

    assert found["mount:/srv"].below == ("filesystem:/dev/dm-0",)
    assert found["filesystem:/dev/dm-0"].below == ("layer:dm-0",)
    assert set(found["layer:md0"].below) == {"layer:sda1", "disk:sdb"}
    assert set(below(found["mount:/srv"]).disks.value) == {"sda", "sdb"}


def test_a_loop_device_stands_on_the_filesystem_of_its_file():
    found = subjects(
        machine(
            disk("sda"),
            stacked("loop0", "7:0", [], loop__backing_file="/srv/image", loop__dio="0"),
            mounts=["1 0 8:0 / / rw - ext4 /dev/sda rw", "2 1 7:0 / /mnt rw - xfs /dev/loop0 rw"],
        )
    )

    assert found["layer:loop0"].below == ("filesystem:/dev/sda",)
    assert below(found["mount:/mnt"]).disks == Known(("sda",), "the stack in /sys/block")
    assert below(found["mount:/mnt"]).any_thin.value is True


def test_a_loop_device_on_itself_is_walked_once_and_proves_nothing():
    found = subjects(
        machine(
            stacked("loop0", "7:0", [], loop__backing_file="/mnt/image"),
            mounts=["2 1 7:0 / /mnt rw - xfs /dev/loop0 rw"],
        )
    )

    folded = below(found["mount:/mnt"])
    assert all(isinstance(fact, Unknown) for fact in (folded.disks, folded.all_plp_proven, folded.any_write_back))


def test_a_member_that_is_not_there_leaves_the_folds_open():
    found = subjects(
        machine(
            disk("sda", cache="write through"),
            stacked("md0", "9:0", ["sda", "sdz"]),
            mounts=["1 0 9:0 / /srv rw - ext4 /dev/md0 rw"],
        )
    )

    assert isinstance(below(found["mount:/srv"]).any_write_back, Unknown)
    assert (
        isinstance(below(found["mount:/srv"]).all_plp_proven, Known) is False
        or below(found["mount:/srv"]).all_plp_proven.value is False
    )


def test_one_write_back_disk_decides_even_where_another_member_is_missing():
    found = subjects(
        machine(
            disk("sda"),
            stacked("md0", "9:0", ["sda", "sdz"]),
            mounts=["1 0 9:0 / /srv rw - ext4 /dev/md0 rw"],
        )
    )

    assert below(found["mount:/srv"]).any_write_back.value is True


def test_a_cache_that_the_drive_calls_volatile_is_unprotected_whatever_the_kernel_believes():
    found = subjects(open_machine(FIXTURES / "machines" / "worn-nvme-database"))
    drive = found["disk:nvme0n1"].scope["disk"]
    assert (drive.write_cache.value, drive.volatile_cache.value, drive.plp.value) == ("write through", True, "absent")
    assert below(found["filesystem:/dev/nvme0n1"]).any_unprotected_cache.value is True


class WithoutToolsOutput(Wrapped):
    """As an archive that holds what the kernel tells, and no answer of the drives."""

    def run(self, argvs):
        return tuple(Unknown(Cause.NOT_EXPOSED, "run it on the machine", argv[0]) for argv in argvs)


def test_what_an_archive_lacks_of_a_drive_does_not_make_the_kernels_word_its_own():
    recorded = open_machine(FIXTURES / "machines" / "worn-nvme-database")
    found = subjects(WithoutToolsOutput(recorded))
    assert found["disk:nvme0n1"].scope["disk"].write_cache.value == "write through"
    assert isinstance(below(found["filesystem:/dev/nvme0n1"]).any_unprotected_cache, Unknown)


def test_a_btrfs_lives_on_all_its_members():
    member = "/sys/fs/btrfs/0a1b/devices"
    found = subjects(
        machine(
            disk("sda", number="8:0"),
            disk("sdb", number="8:16"),
            mounts=["1 0 0:40 / /srv rw - btrfs /dev/sdb rw,subvolid=5,subvol=/"],
            files={f"{member}/sda": "", f"{member}/sdb": ""},
        )
    )

    assert set(below(found["mount:/srv"]).disks.value) == {"sda", "sdb"}


def test_a_btrfs_whose_members_are_not_listed_is_not_followed():
    found = subjects(
        machine(disk("sda"), mounts=["1 0 0:40 / /srv rw - btrfs /dev/sda rw"]),
    )

    assert (
        isinstance(below(found["mount:/srv"]).all_plp_proven, Unknown)
        or not below(found["mount:/srv"]).all_plp_proven.value
    )
    assert isinstance(below(found["mount:/srv"]).disks, Unknown)


def test_bind_mounts_share_one_filesystem_and_its_top_is_named_first():
    found = subjects(
        machine(
            disk("sda"),
            mounts=["1 0 8:0 /data /srv/bind rw - ext4 /dev/sda rw", "2 0 8:0 / /srv rw - ext4 /dev/sda rw"],
        )
    )

    assert found["filesystem:/dev/sda"].scope["filesystem"].mount_point.value == "/srv"
    assert found["mount:/srv/bind"].scope["mount"].subtree.value == "/data"


def test_a_later_mount_at_the_same_place_hides_the_earlier():
    found = subjects(
        machine(
            disk("sda", number="8:0"),
            disk("sdb", number="8:16"),
            mounts=["1 0 8:0 / /srv rw - ext4 /dev/sda rw", "2 1 8:16 / /srv rw - xfs /dev/sdb rw"],
        )
    )

    assert found["mount:/srv"].scope["mount"].fs_type.value == "xfs"
    assert "filesystem:/dev/sda" not in found


def test_an_overlay_stands_on_the_filesystem_of_its_upper_folder():
    found = subjects(
        machine(
            disk("sda"),
            mounts=[
                "1 0 8:0 / / rw - ext4 /dev/sda rw",
                "2 1 0:50 / /c rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w",
            ],
        )
    )

    assert found["filesystem:overlay at /c"].below == ("filesystem:/dev/sda",)


def test_an_xfs_with_its_log_on_another_disk_lives_on_both():
    found = subjects(
        machine(
            disk("sda", number="8:0", cache="write through"),
            disk("sdb", number="8:16"),
            mounts=["1 0 8:0 / /srv rw - xfs /dev/sda rw,logdev=/dev/sdb"],
        )
    )

    assert below(found["mount:/srv"]).any_write_back.value is True


def test_a_filesystem_on_the_network_is_not_followed():
    found = subjects(machine(mounts=["1 0 0:60 / /net rw - nfs4 server:/x rw"]))

    assert isinstance(below(found["mount:/net"]).any_write_back, Unknown)


def test_an_unused_loop_device_and_an_empty_card_reader_are_no_subjects():
    card = disk("sdc", number="8:32")
    card[0]["/sys/block/sdc/size"] = "0"
    found = subjects(machine(card, {"/sys/block/loop7/dev": "7:7", "/sys/block/loop7/size": "0"}))

    assert list(found) == ["host"]


def test_a_machine_without_block_devices_has_a_host_and_says_so():
    made = machine()
    found = subjects(made)

    assert list(found) == ["host"]
    assert isinstance(found["host"].scope["host"].block_devices, Unknown)


def test_without_mountinfo_the_mount_table_of_an_archive_is_read():
    files = {"/proc/mounts": "/dev/sda /srv ext4 rw,nobarrier 0 0\n", "/proc/fs/jbd2/sda-8/info": ""}
    made = machine(disk("sda"), files=files)
    del made.files["/proc/self/mountinfo"]

    assert below(subjects(made)["mount:/srv"]).disks.value == ("sda",)


def test_a_device_whose_folder_can_not_be_listed_is_not_taken_for_a_leaf():
    made = machine(disk("sda"), mounts=["1 0 8:0 / /srv rw - ext4 /dev/sda rw"])
    listed = made.entries
    made.entries = lambda path: Unknown(Cause.DENIED, "run as root") if path == "/sys/block/sda" else listed(path)
    found = subjects(made)

    assert "layer:sda" in found
    assert isinstance(below(found["mount:/srv"]).disks, Unknown)
    assert isinstance(below(found["mount:/srv"]).any_write_back, Unknown)


def test_a_volume_that_is_partly_thin_is_thin():
    table = "vg-lv: 0 8 linear 8:0 2048\nvg-lv: 8 8 thin 253:4 1\n"
    made = machine(
        disk("sda"),
        stacked("dm-0", "253:0", ["sda"], dm__name="vg-lv", dm__uuid="LVM-x"),
        mounts=["1 0 253:0 / /srv rw - ext4 /dev/mapper/vg-lv rw"],
        commands={"dmsetup table": table},
    )

    assert below(subjects(made)["mount:/srv"]).any_thin.value is True


def test_a_volume_whose_table_can_not_be_read_may_be_thin():
    made = machine(
        disk("sda"),
        stacked("dm-0", "253:0", ["sda"], dm__name="vg-lv", dm__uuid="LVM-x"),
        mounts=["1 0 253:0 / /srv rw - ext4 /dev/mapper/vg-lv rw"],
    )

    assert isinstance(below(subjects(made)["mount:/srv"]).any_thin, Unknown)


def test_what_lies_on_a_mount_that_is_passed_over_does_not_stand_on_the_disk_of_the_mount_above():
    made = machine(
        disk("sda"),
        stacked("loop0", "7:0", [], loop__backing_file="/pool/image", loop__dio="0"),
        mounts=[
            "1 0 8:0 / / rw - ext4 /dev/sda rw",
            "2 1 0:77 / /pool rw - fuse.mergerfs a:b rw",
            "3 1 7:0 / /mnt rw - xfs /dev/loop0 rw",
            "4 1 0:55 / /proc/fs/nfsd rw - nfsd nfsd rw",
        ],
        files={"/proc/fs/nfsd/threads": "8\n", "/var/lib/nfs/etab": "/pool/share\t*(rw,sync)\n"},
        processes=[{"pid": 1, "name": "mysqld", "cwd": "/pool/my", "paths": [], "settings": [], "here": True}],
    )
    found = subjects(made)
    program = found["service:mysql /pool/my"]
    assert isinstance(program.scope["service"].mount_point, Unknown)
    assert not program.below
    assert not found["layer:loop0"].below
    assert isinstance(found["mount:/"].scope["mount"].workload, Unknown)
    assert found["mount:/"].scope["mount"].nfs_exported.value == "no"


@each(("vendor", "one"), [("SEAGATE", True), ("DELL", False), ("HP", False)])
def test_two_luns_at_one_target_are_one_drive_where_its_maker_makes_drives_and_not_arrays(vendor, one):
    target = "pci0000:00/0000:00:03.0/host0/port-0:1/end_device-0:1/target0:0:1/0:0:1"
    model = {"device__vendor": vendor, "device__model": "EXAMPLE"}
    halves = [disk(name, where=f"{target}:{lun}", **model) for lun, name in enumerate(("sda", "sdb"))]
    array = stacked("md0", "9:0", ["sda", "sdb"], md__level="raid1")
    made = machine(*halves, array, commands={"systemd-detect-virt --vm": "none\n"})
    found = subjects(made)
    assert found["disk:sda"].scope["disk"].virtual.value is False
    assert below(found["layer:md0"]).one_drive.value is one
