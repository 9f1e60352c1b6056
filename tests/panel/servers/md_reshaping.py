"""A RAID 6 that grows by a disk: it reshapes, all members there. The expert: let it go on, change nothing else."""

from tests.panel import build

FIRST = ()
NEVER = ("md-degraded", "md-rebuild-held-back", "md-check-running")


def server():
    boot, disks = build.sata(0, attributes=build.PROTECTED), [build.hdd(at) for at in range(1, 8)]
    array = build.md(
        "md0", "9:0", "raid6", [it.name for it in disks], md__sync_action="reshape", md__sync_speed="42000"
    )
    return build.server(
        boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs")]
    )
