"""Disks that sleep are not woken: what would read them is not asked, and says so."""

import json

import pytest

from fsadvisor.facts import WAKE, Cause, Known, Unknown
from fsadvisor.survey.whole import survey
from tests.paths import FIXTURES
from tests.told import ToldMachine, disk, machine, partition, stacked

STANDBY = (FIXTURES / "outputs" / "smartctl" / "standby.out").read_text()
AWAKE = json.dumps({"model_name": "A DISK", "smartctl": {"output": ["Power mode is:    ACTIVE or IDLE"]}})
SMARTCTL = "smartctl --json=o -q noserial -x"
USB = "pci0000:00/0000:00:14.0/usb1/1-1/host1/target1:0:0/1:0:0:0"
MOUNTS = (
    "30 1 8:1 / /srv/data rw,relatime - ext4 /dev/sda1 rw",
    "31 1 8:17 / /srv/other rw,relatime - ext4 /dev/sdb1 rw",
)


class Asked(ToldMachine):
    """Keeps what it was asked."""

    def run(self, commands):
        self.__dict__.setdefault("asked", []).extend(" ".join(argv) for argv in commands)
        return super().run(commands)


def asked_of(sda, sdb=AWAKE, mounts=MOUNTS, more=(), processes=(), **files):
    """What the survey asks of a machine with two disks, by what smartctl says of each; and what it finds."""
    made = machine(
        disk("sda"),
        partition("sda", "sda1", "8:1"),
        disk("sdb", where=USB, number="8:16"),
        partition("sdb", "sdb1", "8:17"),
        *more,
        mounts=mounts,
        commands={f"{SMARTCTL} /dev/sda": sda, f"{SMARTCTL} /dev/sdb": sdb},
        processes=processes,
        files=files,
    )
    made.__class__ = Asked
    subjects = {it.id: it for it in survey(made, {}).subjects}
    return made.asked, subjects


def test_a_sleeping_disk_is_told_and_its_filesystem_is_not_read():
    asked, found = asked_of(STANDBY)
    state = found["disk:sda"].scope["disk"].power_state
    assert state == Known("standby", f"{SMARTCTL} /dev/sda")
    assert found["disk:sda"].scope["disk"].smart_passed == Unknown(Cause.ASLEEP, WAKE, f"{SMARTCTL} /dev/sda")
    assert "dumpe2fs -h /dev/sda1" not in asked
    assert found["filesystem:/dev/sda1"].scope["filesystem"].features.cause is Cause.ASLEEP


def test_disks_that_are_awake_are_asked_all():
    asked, found = asked_of(STANDBY)
    assert "dumpe2fs -h /dev/sdb1" in asked
    assert found["disk:sdb"].scope["disk"].power_state.value == "awake"
    assert "dumpe2fs -h /dev/sda1" in asked_of(AWAKE)[0]


def test_what_the_kernel_suspended_sleeps():
    why = Unknown(Cause.ASLEEP, WAKE, "/sys/block/sda/device/power/runtime_status")
    asked, found = asked_of(why)
    assert found["disk:sda"].scope["disk"].power_state == Known("standby", why.source)
    assert "dumpe2fs -h /dev/sda1" not in asked


def test_what_is_still_being_asked_may_sleep():
    asked, found = asked_of(Unknown(Cause.BEING_ASKED, "wait for the answer"))
    assert "dumpe2fs -h /dev/sda1" not in asked
    assert found["filesystem:/dev/sda1"].scope["filesystem"].features.cause is Cause.BEING_ASKED


def test_without_smartctl_no_disk_is_taken_to_sleep():
    asked, found = asked_of(Unknown(Cause.NO_TOOL, "install smartmontools"))
    assert "dumpe2fs -h /dev/sda1" in asked
    assert found["disk:sda"].scope["disk"].power_state.cause is Cause.NO_TOOL


def test_tools_that_read_every_disk_are_not_run_while_one_sleeps():
    labels = "lsblk --json -o NAME,KNAME,LABEL"
    assert labels not in asked_of(STANDBY)[0]
    assert labels in asked_of(AWAKE)[0]


@pytest.mark.parametrize("kind", ["xfs", "btrfs"])
def test_a_filesystem_on_layers_above_a_sleeping_disk_is_not_read(kind):
    mounts = (f"30 1 253:0 / /srv/deep rw,relatime - {kind} /dev/dm-0 rw",)
    more = (stacked("dm-0", "253:0", ["md0"]), stacked("md0", "9:0", ["sda1", "sdb1"]))
    tools = {"xfs_info", "btrfs"}
    assert not {it.split()[0] for it in asked_of(STANDBY, mounts=mounts, more=more)[0]} & tools
    assert {it.split()[0] for it in asked_of(AWAKE, mounts=mounts, more=more)[0]} & tools


def test_a_btrfs_with_a_sleeping_member_is_not_read():
    mounts = ("30 1 0:40 / /srv/both rw,relatime - btrfs /dev/sdb1 rw",)
    files = {"/sys/fs/btrfs/uuid/devices/sda1": "", "/sys/fs/btrfs/uuid/devices/sdb1": ""}
    assert not [it for it in asked_of(STANDBY, mounts=mounts, **files)[0] if it.startswith("btrfs")]
    assert [it for it in asked_of(AWAKE, mounts=mounts, **files)[0] if it.startswith("btrfs")]
