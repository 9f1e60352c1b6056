"""A RAID 6 that grows by a disk lost one while it reshapes. The expert: back up, let the reshape end, do not reboot for
it; the new disk goes in now and is rebuilt after. One disk may still go.
"""

from tests.panel import build

FIRST = ("md-degraded layer:md0",)
NEVER = ("md-rebuild-held-back", "md-check-running", "md-check-not-scheduled")


def server():
    boot, disks = build.sata(0, attributes=build.PROTECTED), [build.hdd(at) for at in range(1, 8)]
    array = build.md(
        "md0", "9:0", "raid6", [it.name for it in disks], md__sync_action="reshape", md__sync_speed="42000",
        md__degraded="1", md__raid_disks="8",
    )  # fmt: skip
    return build.server(
        boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs")]
    )
