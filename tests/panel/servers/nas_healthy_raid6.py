"""A NAS with an md RAID 6 of healthy disks, XFS at 60 %, default bitmap. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("md-write-hole", "xfs-stripe-mismatch", "md-small-stripe-cache")


def server():
    disks = [build.hdd(at) for at in range(6)]
    boot = build.sata(7, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid6", [it.name for it in disks])],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs", used=60)],
    )
