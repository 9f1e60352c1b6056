"""A RHEL 7 guest of Xen: xvda, XFS, 3.10. The expert: nothing to do, old as it is."""

from tests.panel import build
from tests.told import disk

FIRST = ()
NEVER = ("hard-disk-without-scheduler", "fstab-kernel-name")


def server():
    made = disk(
        "xvda",
        where="vbd-51712",
        number="202:0",
        size=str(100 * build.GIB // 512),
        queue__rotational="0",
        queue__scheduler="none",
        queue__physical_block_size="512",
    )
    del made[0]["/sys/block/xvda/device/model"]
    drive = build.Drive("xvda", made, {}, 100 * build.GIB, "202:0")
    root = build.Mount("/", *drive.partition(1, 90 * build.GIB), "xfs", inside="rw,attr2,inode64,noquota", used=50)
    made = build.server(
        drive,
        mounts=[root],
        vm="xen",
        kernel="3.10.0-1160.119.1.el7.x86_64",
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / xfs defaults 0 0\n",
        memory=8,
    )
    made.commands["xfs_info /"] = made.commands.get("xfs_info /", "")
    del made.files["/proc/pressure/io"]
    return made
