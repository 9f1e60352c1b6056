"""A NAS: one disk with 1,210 reallocated sectors, another with 40,211 CRC errors. Replace the disk; then the cable."""

from tests.panel import build

FIRST = ("drive-reallocating disk:sda", "drive-link-errors disk:sdb")
NEVER = ("md-write-hole", "long-writeback", "xfs-stripe-mismatch")


def server():
    sick = [((5, "Reallocated_Sector_Ct", 98, 10, 1210),), ((199, "UDMA_CRC_Error_Count", 199, 0, 40211),), (), ()]
    disks = [build.hdd(at, attributes=one) for at, one in enumerate(sick)]
    boot = build.sata(4, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid6", [it.name for it in disks])],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs", used=92)],
    )
