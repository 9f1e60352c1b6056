"""A guest of VMware whose kernel tries an empty floppy drive and an empty CD at each boot. Nothing is wrong."""

from tests.panel import build

FIRST = ()
NEVER = ("disk-errors-in-log", "disk-resets-in-log")


def server():
    disk = build.sata(0, "Virtual disk", 64 * build.GIB, device__vendor="VMware  ")
    disk.commands = {}
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/srv", "xfs")],
        vm="vmware",
        log=(
            "blk_update_request: I/O error, dev fd0, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0",
            "floppy: error 10 while reading block 0",
            "Buffer I/O error on dev fd0, logical block 0, async page read",
            "sr 3:0:0:0: [sr0] tag#0 Add. Sense: Medium not present",
            "blk_update_request: I/O error, dev sr0, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0",
        ),
    )
