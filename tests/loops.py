"""Real filesystems on loop devices, taken away again whatever happens."""

import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

TOOLS = ("losetup", "mount", "umount", "mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "tune2fs", "findmnt", "lsblk", "btrfs")

needs_loop_devices = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, TOOLS)) or not Path("/dev/loop-control").exists(),
    reason="loop devices need root and the filesystems' tools (`make test` as root installs them)",
)

root_is_a_mount = pytest.mark.skipif(
    not any(line.split()[4] == "/" for line in Path("/proc/self/mountinfo").read_text().splitlines()),
    reason="in a chroot the filesystem under the images is not among the mounts",
)


def run(*argv):
    """What a tool prints; it must succeed."""
    return subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60).stdout


def unmount(place, seconds=10):
    """Unmount; what a process that has just been killed still held is let go a moment later."""
    end = time.monotonic() + seconds
    while True:
        try:
            return run("umount", place)
        except subprocess.CalledProcessError:
            if time.monotonic() > end:
                raise


class Loops:
    """Makes images, loop devices and mounts below a folder."""

    def __init__(self, folder, stack):
        self.folder = folder
        self._stack = stack

    def device(self, name, megabytes):
        """A loop device over a new sparse image."""
        image = self.folder / f"{name}.img"
        with image.open("wb") as file:
            file.truncate(megabytes << 20)
        device = run("losetup", "--find", "--show", str(image)).strip()
        self._stack.callback(run, "losetup", "--detach", device)
        return device

    def mount(self, device, name, options="defaults"):
        """Mount a device on a new folder; returns the folder."""
        place = self.folder / name
        place.mkdir()
        run("mount", "-o", options, device, str(place))
        self._stack.callback(unmount, str(place))
        return str(place)


@contextlib.contextmanager
def loops(folder):
    """Loop devices that live as long as the block."""
    with contextlib.ExitStack() as stack:
        yield Loops(folder, stack)
