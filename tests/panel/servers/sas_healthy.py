"""SAS disks with a handful of grown defects and no uncorrected errors, as such disks have. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("drive-reallocating", "unreadable-data", "drive-above-its-temperature")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.sas(at, scsi_grown_defect_list=at) for at in (1, 2)]
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"])
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
