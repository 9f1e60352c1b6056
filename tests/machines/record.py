"""Records the machines of fixtures/machines anew: `sudo .venv/bin/python -m tests.machines.record` on a spare host.

Each is this host with one filesystem more, on loop devices. Review the diff, then accept the golden reports.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.loops import loops, run
from tests.paths import FIXTURES


def as_it_is(_):
    """Nothing added."""


def ext4_nobarrier(loop):
    """ext4 with nobarrier and noatime."""
    device = loop.device("ext4", 96)
    run("mkfs.ext4", "-q", "-L", "data", device)
    loop.mount(device, "srv", "nobarrier,noatime")


def xfs_logbsize(loop):
    """XFS with large log buffers."""
    device = loop.device("xfs", 320)
    run("mkfs.xfs", "-q", "-L", "scratch", device)
    loop.mount(device, "srv", "logbsize=256k,noatime")


def btrfs_two_devices(loop):
    """Btrfs on two devices, with a folder that has no copy-on-write and a snapshot."""
    one, two = loop.device("one", 200), loop.device("two", 200)
    run("mkfs.btrfs", "-q", "-L", "pool", "-d", "raid1", "-m", "raid1", one, two)
    place = loop.mount(one, "srv", "nobarrier")
    run("btrfs", "subvolume", "create", f"{place}/db")
    run("btrfs", "subvolume", "snapshot", f"{place}/db", f"{place}/before-upgrade")
    run("mkdir", f"{place}/nocow")
    run("chattr", "+C", f"{place}/nocow")


PLACE = Path("/srv/recorded")
MACHINES = (as_it_is, ext4_nobarrier, xfs_logbsize, btrfs_two_devices)


def record(make):
    """Mount below PLACE, so that the paths are the same on every host, capture, and take it all away."""
    folder = FIXTURES / "machines" / make.__name__.replace("_", "-")
    shutil.rmtree(folder, ignore_errors=True)
    PLACE.mkdir()
    try:
        with loops(PLACE) as loop:
            make(loop)
            subprocess.run([sys.executable, "-m", "fsadvisor", "capture", str(folder)], check=True)
    finally:
        shutil.rmtree(PLACE)


if __name__ == "__main__":
    for each in MACHINES:
        record(each)
