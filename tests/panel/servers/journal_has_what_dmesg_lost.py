"""A firewall's messages filled the kernel's ring; the journal still has two unreadable sectors of yesterday. The
expert: the disk can't read some of its data; the ring of an hour says nothing of that.
"""

from fsadvisor.readers.kernel_log import JOURNAL_ARGV
from tests.panel import build

FIRST = ("disk-errors-in-log disk:sdb",)


def server():
    boot, disk = build.sata(attributes=build.PROTECTED), build.hdd(1)
    said = "critical medium error, dev sdb, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2"
    journal = f"[    0.000000] kernel: Linux version\n[780000.100000] kernel: {said}\n[780003.100000] kernel: {said}\n"
    made = build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
    made.commands |= {"dmesg": "[863000.000000] firewall: dropped\n", " ".join(JOURNAL_ARGV): journal}
    return made
