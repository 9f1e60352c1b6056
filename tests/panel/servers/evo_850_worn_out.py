"""An 850 EVO with Wear_Leveling_Count at 1, 2,900 erases, below a mail store. The expert: at its end; replace it."""

from tests.panel import build

FIRST = ("drive-worn-out disk:sdb",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disk = build.sata(
        1,
        "Samsung SSD 850 EVO 1TB",
        1000204886016,
        attributes=((177, "Wear_Leveling_Count", 1, 0, 2900), (179, "Used_Rsvd_Blk_Cnt_Tot", 100, 10, 0)),
    )
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/var/mail")])
