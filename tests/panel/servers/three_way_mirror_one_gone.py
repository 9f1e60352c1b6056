"""A root mirror of three of which one died. The expert: replace it this week; two copies are left, nothing is lost."""

from tests.panel import build

FIRST = ("md-degraded layer:md0",)


def server():
    disks = [build.sata(at, attributes=build.PROTECTED) for at in range(2)]
    members = [it.partition(2)[0] for it in disks]
    return build.server(
        *disks,
        layers=[build.md("md0", "9:0", "raid1", members, md__raid_disks="3", md__degraded="1")],
        mounts=[build.root(disks[0]), build.Mount("/srv", "md0", "9:0")],
    )
