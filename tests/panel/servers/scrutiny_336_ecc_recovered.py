"""Seagate Exos whose Hardware_ECC_Recovered (195) has a low normalised value and a huge raw one: eleven of twenty-
four such disks were called failed elsewhere. The expert: nothing. The number counts work, not damage.
"""

from tests.panel import build

FIRST = ()
NEVER = ("drive-failing", "drive-reallocating", "unreadable-data")


def server():
    counts = ((195, "Hardware_ECC_Recovered", 2, 0, 184549376), (189, "High_Fly_Writes", 60, 0, 40),
              (1, "Raw_Read_Error_Rate", 82, 44, 170258960), (7, "Seek_Error_Rate", 89, 45, 879102212))  # fmt: skip
    disks = [build.hdd(at, "ST10000NM0086-2AA101", attributes=counts) for at in (1, 2)]
    boot = build.sata(attributes=build.PROTECTED)
    return build.server(
        boot, *disks, mounts=[build.root(boot), *(build.on(it, f"/srv/{it.name}", "xfs") for it in disks)]
    )
