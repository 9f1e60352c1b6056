"""A data filesystem that took 300 GiB in the last hour, and nothing before: a restore. The expert: nothing, it has
30 % free.
"""

from tests.machines import parts
from tests.panel import build

UUID = "00000000-f5ad-4000-8000-000000000001"

FIRST = ()
NEVER = ("full-soon",)


def server():
    disk = build.hdd(1, size=4 * 10**12)
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks(
        (48, {"available_bytes": 600 * build.GIB}),
        (1, {"available_bytes": 600 * build.GIB}),
        kind="filesystems",
        key=UUID,
    )
    known = parts.udev("sdb2", "").replace("DEVTYPE=disk", f"DEVTYPE=partition\nE: ID_FS_UUID={UUID}")
    data = build.on(disk, "/srv", "xfs", used=70, size=1000 * build.GIB)
    return build.server(boot, disk, mounts=[build.root(boot), data], files=kept, udev=known)
