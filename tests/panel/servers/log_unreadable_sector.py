"""An unreadable sector below a mail spool, seen by the kernel before the disk counts it: see to the backup."""

from tests.panel import build

FIRST = ("disk-errors-in-log disk:sdb",)
NEVER = ("disk-resets-in-log",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    said = ("critical medium error, dev sdb, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",)
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/var/mail")], log=said)
