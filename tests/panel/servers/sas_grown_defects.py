"""A SAS disk with 312 grown defects in a mirror: order another, swap it while all is whole."""

from tests.panel import build

FIRST = ("drive-reallocating disk:sdb",)
NEVER = ("drive-failing", "unreadable-data")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.sas(1, scsi_grown_defect_list=312), build.sas(2, scsi_grown_defect_list=4)]
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"])
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
