"""A SATA disk with 40,211 CRC errors, as many as three weeks ago. The expert: nothing; the cable was replaced, and
the count never goes back.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ()
NEVER = ("drive-link-errors", "drive-link-errors-growing")


def server():
    disk = build.hdd(1, attributes=((199, "UDMA_CRC_Error_Count", 200, 0, 40_211),))
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks((21 * 24, {"link_errors": 40_211}), key=f"{build.HDD} {build.SERIAL}")
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv", "xfs")],
        files=kept,
        udev=parts.udev("sdb", build.HDD),
    )
