"""Two old Intel S3500 in a mirror; Media_Wearout_Indicator of one is 1, of the other 4. The expert: both are at their
end together; replace one, then the other.
"""

from tests.panel import build

FIRST = ("drive-worn-out disk:sdb",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [
        build.sata(
            at, "INTEL SSDSC2BB480G4", attributes=(*build.PROTECTED, (233, "Media_Wearout_Indicator", left, 0, 0))
        )
        for at, left in ((1, 1), (2, 4))
    ]
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"])
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
