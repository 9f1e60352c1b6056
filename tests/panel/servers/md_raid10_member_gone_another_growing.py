"""md RAID 10 of six disks below PostgreSQL: one fell out, and its neighbour in the mirror has 40 pending sectors. The
expert: back up now; replace the missing one with care, for the only other copy has holes.
"""

from tests.panel import build

FIRST = ("md-degraded layer:md0",)
BESIDE = ("unreadable-data disk:sdc",)
NEVER = ("commits-wait-for-drive", "md-check-not-scheduled")


def server():
    boot = build.sata(attributes=build.PROTECTED)
    pending = ((197, "Current_Pending_Sector", 100, 0, 40),)
    disks = [build.hdd(at, attributes=pending if at == 2 else ()) for at in range(1, 6)]
    array = build.md("md0", "9:0", "raid10", [it.name for it in disks], md__degraded="1", md__raid_disks="6")
    place = "/var/lib/postgresql/16/main"
    return build.server(
        boot,
        *disks,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/var/lib/postgresql", "md0", "9:0")],
        programs=[("postgres", place)],
        files=build.postgresql(place),
    )
