"""Facts of real ext4, XFS and Btrfs, field by field against a second source."""

import json
import re

import pytest

from fsadvisor.facts import Known
from fsadvisor.machine.live import LiveMachine
from fsadvisor.survey.whole import survey
from tests.loops import loops, needs_loop_devices, root_is_a_mount, run

pytestmark = [pytest.mark.loop, needs_loop_devices]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The three filesystems of the issue, mounted, and the survey of the machine."""
    with loops(tmp_path_factory.mktemp("loops")) as loop:
        ext4, xfs, one, two = (
            loop.device(name, size) for name, size in [("e", 64), ("x", 320), ("b", 160), ("c", 160)]
        )
        run("mkfs.ext4", "-q", "-L", "first label", ext4)
        run("mkfs.xfs", "-q", "-L", "second", xfs)
        run("mkfs.btrfs", "-q", "-L", "third", "-d", "raid1", "-m", "raid1", one, two)
        places = {
            "ext4": loop.mount(ext4, "with\nnobarrier", "nobarrier,noatime"),
            "xfs": loop.mount(xfs, "semi;colon $(x)", "logbsize=256k,nodiratime"),
            "btrfs": loop.mount(one, "[red]", "noatime"),
        }
        nocow = loop.folder / "[red]" / "database"
        nocow.mkdir()
        run("chattr", "+C", str(nocow))
        devices = {"ext4": ext4, "xfs": xfs, "btrfs": one, "second": two}
        storage = survey(LiveMachine(), {})
        yield places, devices, {subject.id: subject for subject in storage.subjects}, str(nocow)


def scope(made, kind):
    places, _, subjects, _ = made
    return subjects[f"mount:{places[kind]}"].scope


def findmnt(made, kind):
    (found,) = json.loads(run("findmnt", "-J", "-o", "TARGET,SOURCE,FSTYPE,VFS-OPTIONS,FS-OPTIONS", made[0][kind]))[
        "filesystems"
    ]
    return found


def lsblk(device):
    columns = "NAME,SIZE,RO,SCHED,LOG-SEC,PHY-SEC,MIN-IO,OPT-IO,RM"
    return json.loads(run("lsblk", "-J", "-b", "-d", "-o", columns, device))["blockdevices"][0]


def fields(text):
    """'name: value' lines, as tune2fs prints them."""
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_a_mounts_type_and_options_are_those_of_findmnt(made, kind):
    said = findmnt(made, kind)
    mount = scope(made, kind)["mount"]

    assert mount.fs_type.value == said["fstype"]
    assert set(said["vfs-options"].split(",")) <= set(mount.options.value)
    assert mount.atime.value == ("relatime" if kind == "xfs" else "noatime")
    assert mount.nodiratime.value == ("nodiratime" in said["vfs-options"].split(","))
    assert mount.read_only.value is False
    assert mount.mounted.value is True


@pytest.mark.parametrize("kind", ["xfs", "btrfs"])
def test_a_superblocks_options_are_those_of_findmnt(made, kind):
    said = set(findmnt(made, kind)["fs-options"].split(","))
    assert set(scope(made, kind)["filesystem"].options.value) == said


@pytest.mark.parametrize(("kind", "label"), [("ext4", "first label"), ("btrfs", "third")])
def test_a_label_is_the_one_that_mkfs_was_given(made, kind, label):
    assert scope(made, kind)["filesystem"].label == Known(label, scope(made, kind)["filesystem"].label.source)


def test_an_ext4s_format_is_that_of_tune2fs(made):
    said = fields(run("tune2fs", "-l", made[1]["ext4"]))
    filesystem = scope(made, "ext4")["filesystem"]

    assert set(filesystem.features.value) == set(said["Filesystem features"].split())
    assert filesystem.block_bytes.value == int(said["Block size"])
    assert filesystem.inode_bytes.value == int(said["Inode size"])
    assert filesystem.journal.value is True
    assert filesystem.data_mode.value == "ordered"
    assert filesystem.commit_seconds.value == 5
    assert filesystem.barriers.value is False
    assert filesystem.errors.value == 0


def test_an_xfss_format_is_that_of_xfs_info(made):
    said = run("xfs_info", made[0]["xfs"])
    filesystem = scope(made, "xfs")["filesystem"]

    assert filesystem.allocation_groups.value == int(re.search(r"agcount=(\d+)", said)[1])
    assert filesystem.block_bytes.value == int(re.search(r"data +=.*?bsize=(\d+)", said)[1])
    log = re.search(r"log +=.*?bsize=(\d+) +blocks=(\d+)", said)
    assert filesystem.journal_bytes.value == int(log[1]) * int(log[2])
    assert filesystem.xfs_crc.value is True
    assert filesystem.log_buffer_bytes.value == 256 << 10
    assert filesystem.log_takes_256k.value is True
    assert filesystem.barriers.value is True


def test_a_btrfss_profiles_are_those_of_btrfs_filesystem_df(made):
    said = run("btrfs", "filesystem", "df", made[0]["btrfs"])
    filesystem = scope(made, "btrfs")["filesystem"]

    assert filesystem.metadata_profile.value == re.search(r"Metadata, (\w+)", said)[1].lower()
    assert filesystem.data_profile.value == re.search(r"Data, (\w+)", said)[1].lower()
    assert set(filesystem.devices.value) == {
        made[1]["btrfs"].removeprefix("/dev/"),
        made[1]["second"].removeprefix("/dev/"),
    }
    assert filesystem.snapshots.value is False
    assert filesystem.errors.value == 0


def test_a_folders_no_copy_on_write_flag_is_that_of_lsattr(made):
    from fsadvisor.survey.filesystem_types import btrfs

    assert "C" in run("lsattr", "-d", made[3]).split()[0]
    assert btrfs.flag(LiveMachine(), made[3]).value is True
    assert btrfs.flag(LiveMachine(), made[0]["btrfs"]).value is False


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "second"])
def test_a_loop_devices_facts_are_those_of_lsblk(made, kind):
    said = lsblk(made[1][kind])
    layer = made[2][f"layer:{said['name']}"].scope["layer"]

    assert layer.kind.value == "loop"
    assert layer.size_bytes.value == said["size"]


def test_a_disks_facts_are_those_of_lsblk(made):
    for subject in made[2].values():
        if subject.kind != "disk":
            continue
        disk = subject.scope["disk"]
        said = lsblk(f"/dev/{subject.name}")
        assert disk.size_bytes.value == said["size"]
        assert disk.read_only.value == said["ro"]
        assert disk.removable.value == said["rm"]
        assert disk.logical_block_bytes.value == said["log-sec"]
        assert disk.physical_block_bytes.value == said["phy-sec"]
        assert disk.minimum_io_bytes.value == said["min-io"]
        assert disk.optimal_io_bytes.value == said["opt-io"]
        assert disk.scheduler.value == (said["sched"] or "none")


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_a_size_is_that_of_df(made, kind):
    size = int(run("df", "-B1", "--output=size", made[0][kind]).split()[-1])
    assert scope(made, kind)["filesystem"].size_bytes.value == size


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_a_share_in_use_is_that_of_df(made, kind):
    percent = int(run("df", "--output=pcent", made[0][kind]).split()[-1].rstrip("%"))
    assert scope(made, kind)["filesystem"].used_percent.value == percent


@root_is_a_mount
@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_every_filesystem_is_followed_to_the_disk_under_the_image(made, kind):
    folded = scope(made, kind)["below"]

    assert folded.disks.value
    assert not any(name.startswith("loop") for name in folded.disks.value)
    assert folded.any_thin.value is True
