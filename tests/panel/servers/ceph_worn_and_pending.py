"""Ceph: an OSD's NVMe at 98 % of its endurance, another OSD's hard disk with 24 unreadable sectors, a third one well.
The sectors first, then order the NVMe; no word on power loss.
"""

from tests.panel import build

FIRST = ("unreadable-data disk:sdb", "drive-nearly-worn-out disk:nvme0n1")
NEVER = ("flushes-without-protection", "database-in-memory", "commits-wait-for-drive")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    worn = build.nvme(0, build.PM9A3, 3840755982336, vwc=6, cache="write through", log={"percent_used": 98})
    sick = build.hdd(1, attributes=((197, "Current_Pending_Sector", 100, 0, 24),))
    drives = (worn, sick, build.hdd(2))
    places = [f"/var/lib/ceph/osd/ceph-{at}" for at in range(3)]
    mounts = [build.Mount(place, "tmpfs", f"0:{44 + at}", "tmpfs") for at, place in enumerate(places)]
    made = build.server(boot, *drives, mounts=[build.root(boot), *mounts], programs=[("ceph-osd", it) for it in places])
    for place, drive in zip(places, drives, strict=True):
        made.links[f"{place}/block"] = f"/dev/{drive.name}"
    return made
