"""A small filesystem of each kind to probe on."""

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from fsadvisor.measure.probe.disks import Way
from tests.loops import loops, needs_loop_devices, run, unmount

MEGABYTES = {"tmpfs": 64, "ext4": 96, "xfs": 320, "btrfs": 256}
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
KINDS = [
    pytest.param("tmpfs", marks=needs_root),
    *(pytest.param(kind, marks=[pytest.mark.loop, needs_loop_devices]) for kind in ("ext4", "xfs", "btrfs")),
]
ON_DISK = KINDS[1:]
ONE_ALWAYS = [ON_DISK[0], *(pytest.param(*one.values, marks=[*one.marks, pytest.mark.long]) for one in ON_DISK[1:])]
"""The others by `make long` only."""
needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")


def names_in(folder):
    return {entry.name for entry in folder.iterdir()} - {"lost+found"}


@dataclass
class Mounted:
    """A mounted filesystem; `device` is its loop device's path, '' for tmpfs."""

    kind: str
    folder: Path
    device: str

    @property
    def way(self):
        """Down to the loop device, as if it were a disk: what is below it does not matter here."""
        return Way.straight_to(Path(self.device).name) if self.device else None

    def free_bytes(self):
        room = os.statvfs(self.folder)
        return room.f_bfree * room.f_frsize

    def has_back(self, free):
        """Whether as much is free as was, but for what Btrfs keeps for its own trees: at times a chunk more of them."""
        kept = 20 if self.kind.startswith("btrfs") else 1
        return self.free_bytes() >= free - (kept << 20)

    def remount(self):
        """Off and on again: what nobody has open any more is given back, and what somebody has open is told."""
        if self.device:
            unmount(self.folder)
            run("mount", self.device, str(self.folder))


@contextlib.contextmanager
def mounted(kind, folder, megabytes=None):
    """A new filesystem of a kind, mounted below a folder."""
    megabytes = megabytes or MEGABYTES[kind]
    with loops(folder) as made, contextlib.ExitStack() as stack:
        if kind == "tmpfs":
            place = folder / "tmpfs"
            place.mkdir()
            run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place))
            stack.callback(unmount, place)
            yield Mounted(kind, place, "")
            return
        device = made.device(kind, megabytes)
        # else the kernel zeroes inode tables while we count what is written
        now = ("-E", "lazy_itable_init=0,lazy_journal_init=0") if kind == "ext4" else ()
        run(f"mkfs.{kind}", "-q", *now, device)
        yield Mounted(kind, Path(made.mount(device, kind)), device)
