"""A RAID 1 that is being rebuilt onto its new drive: let it finish, change nothing meanwhile."""

from tests.panel import build

FIRST = ("md-degraded layer:md0",)
NEVER = ("long-writeback", "tasks-wait-for-disks")


def server():
    disks = [build.hdd(at) for at in (0, 1)]
    return build.server(
        *disks,
        layers=[build.md("md0", "9:0", "raid1", ["sda", "sdb"], md__degraded="1", md__sync_action="recover")],
        mounts=[build.Mount("/", "md0", "9:0")],
        stalled=True,
        dirty_mib=40,
    )
