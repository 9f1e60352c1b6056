"""A SATA disk with 412 CRC errors, 14 a week ago. The expert: the cable is bad now, though 412 are few for a
lifetime.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("drive-link-errors-growing disk:sdb",)
NEVER = ("drive-link-errors",)


def server():
    disk = build.hdd(1, attributes=((199, "UDMA_CRC_Error_Count", 200, 0, 412),))
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks((7 * 24, {"link_errors": 14}), key=f"{build.HDD} {build.SERIAL}")
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv", "xfs")],
        files=kept,
        udev=parts.udev("sdb", build.HDD),
    )
