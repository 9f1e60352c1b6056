"""The monthly check of a RAID runs, and tasks wait for the disks: it ends by itself, or is slowed down."""

from tests.panel import build

FIRST = ("md-check-running layer:md0",)
NEVER = ("long-writeback", "tasks-wait-for-disks", "md-degraded")


def server():
    disks = [build.hdd(at) for at in range(4)]
    boot = build.sata(5, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid6", [it.name for it in disks], md__sync_action="check")],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
        stalled=True,
        dirty_mib=40,
    )
