"""Unraid: each data disk by itself below its own md driver, parity on another disk. Nothing that can be seen."""

from tests.panel import build
from tests.told import stacked

FIRST = ()
NEVER = ("md-inactive", "md-degraded")


def server():
    disks = [build.hdd(at) for at in (1, 2, 3)]
    boot = build.sata(0, attributes=build.PROTECTED)
    layers, mounts = [], [build.root(boot)]
    for at, disk in enumerate(disks[:2], 1):
        _part, _ = disk.partition(1, 7000 * build.GIB, 64)
        layers.append(stacked(f"md{at}", f"9:{at}", [], size="15628053168", queue__physical_block_size="4096"))
        mounts.append(build.Mount(f"/mnt/disk{at}", f"md{at}", f"9:{at}", "xfs", used=70, size=7000 * build.GIB))
    mounts.append(
        build.Mount(
            "/mnt/user",
            "shfs",
            "0:44",
            "fuse.shfs",
            inside="rw,user_id=0,group_id=0,allow_other",
            used=70,
            size=14000 * build.GIB,
        )
    )
    return build.server(
        boot,
        *disks,
        layers=layers,
        mounts=mounts,
        kernel="6.1.106-Unraid",
        fstab="LABEL=UNRAID /boot vfat auto,rw 0 1\n",
    )
