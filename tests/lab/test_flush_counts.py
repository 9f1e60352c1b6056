"""What fsync and O_DSYNC cost in flushes: counted by the kernel, filesystem by filesystem, with and without FUA."""

from dataclasses import dataclass

import pytest

from tests.lab import flushes
from tests.lab.marks import thorough
from tests.lab.scenario import ToolError

pytestmark = [pytest.mark.lab, pytest.mark.kernels]
WRITES = 100


@dataclass(frozen=True)
class Case:
    """A filesystem with mount options on the disk of a device, and how many flushes 100 durable writes may need."""

    kind: str
    device: str
    least: int
    most: int
    options: str = "defaults"
    cache: str = ""
    """What is written to queue/write_cache; '' leaves it."""
    place: int = 0
    """Which of the device's disks."""

    def __str__(self):
        words = [self.kind, self.options, f"on-{self.device}", self.cache and f"told-{self.cache}"]
        return "-".join(word.replace(" ", "-") for word in words if word not in ("", "defaults"))


NONE, ONE, UP_TO_TWO = (0, 5), (95, 115), (95, 215)
"""Flushes of 100 writes; the journal's own rhythm adds a few."""

BY_FSYNC = [
    Case("ext4", "nvme", *ONE),
    Case("ext4", "nvme", *ONE, options="data=writeback"),
    Case("ext4", "nvme", *NONE, options="nobarrier"),
    Case("ext4", "nvme", *NONE, cache="write through"),
    Case("ext4", "virtio", *UP_TO_TWO),
    thorough(Case("ext4", "virtio-through", *NONE)),
    Case("xfs", "nvme", *ONE),
    thorough(Case("xfs", "nvme", *NONE, cache="write through")),
    thorough(Case("xfs", "virtio", *UP_TO_TWO)),
    Case("btrfs", "nvme", *UP_TO_TWO),
    Case("btrfs", "nvme", *NONE, options="nobarrier"),
    thorough(Case("btrfs", "nvme", *NONE, cache="write through")),
    thorough(Case("btrfs", "virtio", *UP_TO_TWO)),
    Case("f2fs", "nvme", *ONE),
    Case("f2fs", "nvme", *NONE, options="fsync_mode=nobarrier"),
    thorough(Case("f2fs", "nvme", *NONE, cache="write through")),
    Case("nilfs2", "nvme", *UP_TO_TWO),
]
BY_DSYNC = [
    Case("ext4", "nvme", *NONE),
    Case("ext4", "virtio", *ONE),
    Case("ext4", "virtio", *NONE, options="nobarrier"),
    thorough(Case("ext4", "sas-ssd", *NONE)),
    thorough(Case("ext4", "sas-ssd", *ONE, place=1)),
    thorough(Case("ext4", "sata-ssd", *ONE)),
    Case("xfs", "nvme", *NONE),
    thorough(Case("xfs", "virtio", *ONE)),
]


def _counted(scenario, case, write, what):
    """Attach, set up, write; the flushes that it took, told as a row."""
    disk = scenario.attach(case.device)[case.place]
    scenario.format(case.kind, f"/dev/{disk}")
    path = scenario.mount(f"/dev/{disk}", "data", case.options) + "/file"
    if case.cache:
        scenario.write(f"/sys/block/{disk}/queue/write_cache", case.cache)
    flushes.prepare(path, WRITES)
    before = flushes.sent(disk)
    write(path, WRITES)
    took = flushes.sent(disk) - before
    fua = scenario.second_file(f"/sys/block/{disk}/queue/fua")
    cache = scenario.second_file(f"/sys/block/{disk}/queue/write_cache")
    with_options = "" if case.options == "defaults" else f", {case.options}"
    scenario.tell(
        claim=f"{what}: {case.kind}{with_options}, {cache}, fua={fua}",
        seen=f"{took / WRITES:.2f} flushes per write",
        expected=f"{case.least / WRITES:.2f} to {case.most / WRITES:.2f}",
    )
    return took


@pytest.mark.parametrize("case", BY_FSYNC, ids=str)
def test_an_fsync_takes_the_flushes_that_are_claimed(scenario, case):
    """fsync after each 4 KiB overwrite, flushes counted"""
    assert case.least <= _counted(scenario, case, flushes.by_fsync, "fsync after a 4 KiB overwrite") <= case.most


@pytest.mark.parametrize("case", BY_DSYNC, ids=str)
def test_a_direct_synchronous_write_takes_the_flushes_that_are_claimed(scenario, case):
    """O_DIRECT and O_DSYNC overwrites of 4 KiB, flushes counted"""
    assert case.least <= _counted(scenario, case, flushes.by_dsync, "O_DIRECT|O_DSYNC 4 KiB overwrite") <= case.most


def test_xfs_takes_no_nobarrier(scenario):
    """XFS that is mounted nobarrier: the kernel refuses"""
    (name,) = scenario.attach("nvme")
    scenario.format("xfs", f"/dev/{name}")
    with pytest.raises(ToolError):
        scenario.mount(f"/dev/{name}", "data", "nobarrier")
    assert "Unknown parameter 'nobarrier'" in scenario.second("dmesg")
    scenario.tell(claim="XFS mounted nobarrier", seen="the mount fails", expected="fails since kernel 4.19")
