"""A disk of a mirror whose link is reset again and again, with damaged transfers: change its cable."""

from tests.panel import build

FIRST = ("disk-resets-in-log disk:sdb",)
NEVER = ("disk-errors-in-log", "drive-failing")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    said = (
        "ata2.00: exception Emask 0x10 SAct 0x7 SErr 0x400100 action 0x6 frozen",
        "ata2.00: error: { ICRC ABRT }",
        "ata2: hard resetting link",
    )
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv")], log=said * 3)
