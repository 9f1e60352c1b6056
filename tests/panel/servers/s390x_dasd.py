"""A mainframe guest with DASDs, XFS on their partitions. The expert: nothing to do."""

from tests.panel import build
from tests.told import disk

FIRST = ()


def server():
    drives, mounts = [], []
    for at, (name, place) in enumerate((("dasda", "/"), ("dasdb", "/srv"))):
        made = disk(
            name,
            where=f"css0/0.0.000{at}/0.0.020{at}",
            number=f"94:{4 * at}",
            size=str(50 * build.GIB // 512),
            cache="write through",
            queue__rotational="0",
            queue__physical_block_size="4096",
            queue__scheduler="[none] mq-deadline",
        )
        del made[0][f"/sys/block/{name}/device/model"]
        drive = build.Drive(name, made, {}, 50 * build.GIB, f"94:{4 * at}")
        drives.append(drive)
        mounts.append(build.Mount(place, *drive.partition(1, 48 * build.GIB, 192), "xfs", size=48 * build.GIB))
    return build.server(
        *drives,
        mounts=mounts,
        vm="zvm",
        kernel="5.14.0-503.el9.s390x",
        fstab="LABEL=root / xfs defaults 0 0\nLABEL=srv /srv xfs defaults 0 0\n",
    )
