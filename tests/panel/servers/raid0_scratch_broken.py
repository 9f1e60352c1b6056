"""A RAID 0 of which one disk went away: md says broken. The expert: it is lost unless the disk comes back."""

from tests.panel import build

FIRST = ("md-failed layer:md0",)
NEVER = ("md-degraded", "long-writeback")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at) for at in (1, 2)]
    array = build.md("md0", "9:0", "raid0", ["sdb", "sdc"], md__array_state="broken")
    return build.server(
        boot,
        *disks,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/scratch", "md0", "9:0", "xfs")],
    )
