"""A finding's advice names what is here: the device, the mount point, the pool."""

import pytest

from fsadvisor.facts import Known
from fsadvisor.report.finding_page import advice
from fsadvisor.report.findings import Finding
from fsadvisor.rulebook.advise import judge
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.storage import Disk, Filesystem, Layer, Mount
from tests.cases import each
from tests.plan.composed import rule
from tests.report.composed import HOSTILE, host, known, subject

ON = host(dirty_bytes=0)


def said(text, *subjects, on="host"):
    one = rule("one", on, "host.dirty_bytes == 0", advice=text)
    verdicts = [judge(one, it) for it in subjects]
    return advice(Finding(one, Outcome.ADVISE, (), verdicts))


def disk(name):
    return subject("disk", name, disk=known(Disk, name=name), host=ON)


def filesystem(point="/srv/my data", fs_type="ext4", **more):
    facts = known(Filesystem, type=fs_type, mount_point=point, device="/dev/sda1", **more)
    return subject("filesystem", "/dev/sda1", filesystem=facts, host=ON)


def test_a_waiver_is_told_as_a_whole_command():
    for text in ("Or `fsadvisor waive`.", "Or `fsadvisor\nwaive`."):
        assert said(text, disk("sda"), on="disk") == "Or `fsadvisor waive one disk:sda`."


@each(
    ("text", "here"),
    [
        ("Run `smartctl -x /dev/NAME`.", "Run `smartctl -x /dev/sda`."),
        ("`echo 180 > /sys/block/NAME/device/timeout`", "`echo 180 > /sys/block/sda/device/timeout`"),
        ("`lsblk -o NAME,HCTL` of /dev/NAME", "`lsblk -o NAME,HCTL` of /dev/NAME"),
        ("`cat RENAMED VG/NAME`", "`cat RENAMED VG/NAME`"),
    ],
)
def test_a_disks_name_stands_in_commands_alone(text, here):
    assert said(text, disk("sda"), on="disk") == here


def test_a_finding_on_several_disks_keeps_the_word():
    assert said("`smartctl -x /dev/NAME`", disk("sda"), disk("sdb"), on="disk") == "`smartctl -x /dev/NAME`"


def test_a_filesystems_device_and_mount_point_are_quoted():
    text = "`e2fsck -f DEVICE`, `du -x MOUNTPOINT`, `zpool scrub POOL`"
    told = "`e2fsck -f /dev/sda1`, `du -x '/srv/my data'`, `zpool scrub POOL`"
    assert said(text, filesystem(), on="filesystem") == told


def test_of_zfs_the_pool_and_the_dataset_are_named_and_no_device():
    text = "`zpool clear POOL DEVICE`, `systemctl enable --now zfs-scrub-monthly@POOL.timer`, `zfs list -r DATASET`"
    told = "`zpool clear tank DEVICE`, `systemctl enable --now zfs-scrub-monthly@tank.timer`, `zfs list -r tank/a`"
    assert said(text, filesystem(fs_type="zfs", zfs_pool="tank", zfs_dataset="tank/a"), on="filesystem") == told


def test_a_mount_is_named_by_its_own_point():
    facts = known(Filesystem, type="xfs", mount_point="/other", device="/dev/sdb")
    of_mount = subject("mount", "/srv", mount=known(Mount, point="/srv"), filesystem=facts, host=ON)
    assert said("`mount -o remount MOUNTPOINT`; `xfs_info DEVICE`", of_mount, on="mount") == (
        "`mount -o remount /srv`; `xfs_info /dev/sdb`"
    )


@pytest.mark.parametrize(("mapped", "name"), [(Known("luks-1", "dmsetup"), "luks-1"), (None, "dm-0")])
def test_a_mapped_device_has_the_name_that_cryptsetup_knows(mapped, name):
    facts = known(Layer, name="dm-0", **({"mapped_name": mapped} if mapped else {}))
    layer = subject("layer", "dm-0", layer=facts, host=ON)
    assert said("`cryptsetup status NAME`", layer, on="layer") == f"`cryptsetup status {name}`"


@each("name", HOSTILE.values())
def test_a_strange_name_is_quoted_or_the_word_stays(name):
    told = said("`du -x MOUNTPOINT`", filesystem(point=name), on="filesystem")
    assert told == "`du -x MOUNTPOINT`" or (name.isprintable() and told.startswith("`du -x '"))
    assert said("`ls /dev/NAME`", disk(name), on="disk") == "`ls /dev/NAME`"
