"""A data filesystem at 80 %, 91 % at the last look. The expert: somebody cleaned up; nothing."""

from tests.machines import parts
from tests.panel import build

UUID = "00000000-f5ad-4000-8000-000000000001"

FIRST = ()
NEVER = ("filling-up", "above-85-percent")


def server():
    disk = build.hdd(1, size=4 * 10**12)
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks((24, {"used_percent": 91, "used_level_percent": 91}), kind="filesystems", key=UUID)
    known = parts.udev("sdb2", "").replace("DEVTYPE=disk", f"DEVTYPE=partition\nE: ID_FS_UUID={UUID}")
    data = build.on(disk, "/srv", "xfs", used=80, size=1000 * build.GIB)
    return build.server(boot, disk, mounts=[build.root(boot), data], files=kept, udev=known)
