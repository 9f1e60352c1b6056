"""A data filesystem at 90 %, 91 % at the last look. The expert: it still is what was warned of; two files less are
no cure.
"""

from tests.machines import parts
from tests.panel import build

UUID = "00000000-f5ad-4000-8000-000000000001"

FIRST = ("filling-up filesystem:/dev/sdb2",)


def server():
    disk = build.hdd(1, size=4 * 10**12)
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks((24, {"used_percent": 91, "used_level_percent": 91}), kind="filesystems", key=UUID)
    known = parts.udev("sdb2", "").replace("DEVTYPE=disk", f"DEVTYPE=partition\nE: ID_FS_UUID={UUID}")
    data = build.on(disk, "/srv", "xfs", used=90, size=1000 * build.GIB)
    return build.server(boot, disk, mounts=[build.root(boot), data], files=kept, udev=known)
