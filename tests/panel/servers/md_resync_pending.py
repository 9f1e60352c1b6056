"""A RAID 6 after a power cut, auto-read-only below a filesystem that is mounted read-only: its parity was not brought
in step (resync=PENDING). Let it: mdadm --readwrite.
"""

from tests.panel import build

FIRST = ("md-resync-pending layer:md0",)
NEVER = ("md-degraded", "md-check-running")


def server():
    disks = [build.hdd(at) for at in range(6)]
    boot = build.sata(6, attributes=build.PROTECTED)
    array = build.md(
        "md0", "9:0", "raid6", [one.name for one in disks], md__array_state="read-auto", md__resync_start="0"
    )
    data = build.Mount("/srv", "md0", "9:0", "xfs", options="ro,relatime", inside="ro,attr2,inode64")
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), data])
