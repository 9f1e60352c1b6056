"""Four disks that Scrutiny called failed (its issues 271, 336, 374, 522), all of them well: nothing to say.

A new disk with high fly writes; ECC recovered in the millions; a count that moved once, years ago; three time-outs
that attribute 188 keeps as three numbers of 16 bits.
"""

from tests.panel import build

FIRST = ()
NEVER = ("drive-failing", "drive-reallocating", "unreadable-data", "drive-link-errors", "firmware-misbehaves")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [
        build.hdd(1, attributes=((189, "High_Fly_Writes", 98, 0, 2),)),
        build.hdd(2, attributes=((195, "Hardware_ECC_Recovered", 12, 0, 183_204_517),)),
        build.hdd(3, attributes=((5, "Reallocated_Sector_Ct", 100, 10, 1), (199, "UDMA_CRC_Error_Count", 200, 0, 1))),
        build.hdd(4, attributes=((188, "Command_Timeout", 100, 0, 3 << 32 | 3 << 16 | 3),)),
    ]
    return build.server(
        boot,
        *disks,
        mounts=[build.root(boot), *(build.on(it, f"/srv/{at}") for at, it in enumerate(disks))],
    )
