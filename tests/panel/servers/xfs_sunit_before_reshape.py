"""An archive on XFS that was made for chunks of 64 KiB; the RAID 6 below has 512. The expert: sequential writes cost
some more; right it when it is moved anyway. Nothing is in danger.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ()
BESIDE = ("xfs-stripe-mismatch filesystem:/dev/md0",)
NEVER = ("filesystem-errors", "misaligned-partition", "md-degraded")


def server():
    boot = build.sata(6, attributes=build.PROTECTED)
    disks = [build.hdd(at) for at in range(6)]
    data = build.Mount(
        "/srv", "md0", "9:0", "xfs", inside="rw,attr2,inode64,logbufs=8,logbsize=256k,sunit=128,swidth=512,noquota"
    )
    data.commands = parts.xfs_answers("/srv", "/dev/md0", **{"sunit__0      swidth__0": "sunit=16     swidth=64"})
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid6", [one.name for one in disks])],
        mounts=[build.root(boot), data],
    )
