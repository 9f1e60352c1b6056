"""Kafka on a RAID 10 of hard disks that is whole and checked: it waits for no flush. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("commits-wait-for-drive", "shingled-disk-in-array", "md-without-bitmap")


def server():
    disks, boot = [build.hdd(at) for at in (1, 2, 3, 4)], build.sata(attributes=build.PROTECTED)
    array = build.md("md0", "9:0", "raid10", [one.name for one in disks])
    return build.server(
        boot,
        *disks,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/srv/kafka", "md0", "9:0", "xfs")],
        programs=[("java", "/srv/kafka")],
    )
