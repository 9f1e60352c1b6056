"""A data filesystem at 70 %, that took 6 % an hour in the last two hours. The expert: it is full in five hours. Find
what grows, now.
"""

from tests.machines import parts
from tests.panel import build

UUID = "00000000-f5ad-4000-8000-000000000001"

FIRST = ("full-soon filesystem:/dev/sdb2",)


def server():
    disk = build.hdd(1, size=4 * 10**12)
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks(
        (2, {"available_bytes": 420 * build.GIB}),
        (1, {"available_bytes": 360 * build.GIB}),
        kind="filesystems",
        key=UUID,
    )
    known = parts.udev("sdb2", "").replace("DEVTYPE=disk", f"DEVTYPE=partition\nE: ID_FS_UUID={UUID}")
    data = build.on(disk, "/srv", "xfs", used=70, size=1000 * build.GIB)
    return build.server(boot, disk, mounts=[build.root(boot), data], files=kept, udev=known)
