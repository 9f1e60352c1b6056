"""A RAID 1 whose spare took the place of a failed disk: [2/2] [UU], and sdd1(F) still listed. The expert: whole, but
the spare is used up. Take the failed one out, and put a new spare in.
"""

from tests.panel import build

FIRST = ("md-faulty-member layer:md0",)
NEVER = ("md-degraded", "md-failed")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at) for at in (1, 2, 3)]
    states = {"md__dev-sdb__state": "in_sync", "md__dev-sdc__state": "in_sync", "md__dev-sdd__state": "faulty"}
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc", "sdd"], md__raid_disks="2", **states)
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
