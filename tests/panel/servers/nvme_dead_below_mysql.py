"""An NVMe drive fell off the bus below MySQL: no capacity any more, the filesystem still mounted. It is gone; all else
follows from that.
"""

from tests.panel import build

FIRST = ("filesystem-device-gone filesystem:ext4 at /var/lib/mysql",)
BESIDE = ("filesystem-errors-in-log filesystem:ext4 at /var/lib/mysql",)


def server():
    boot, drive = build.sata(0, attributes=build.PROTECTED), build.nvme(0)
    made = build.server(
        boot,
        drive,
        mounts=[build.root(boot), build.on(drive, "/var/lib/mysql", options="ro,relatime")],
        programs=[("mysqld", "/var/lib/mysql")],
        log=(
            "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff",
            "nvme nvme0: Disabling device after reset failure: -19",
            "I/O error, dev nvme0n1, sector 210771968 op 0x1:(WRITE) flags 0x23800 phys_seg 1 prio class 2",
            "Aborting journal on device nvme0n1p2-8.",
            "EXT4-fs (nvme0n1p2): Remounting filesystem read-only",
        ),
    )
    made.files |= {"/sys/block/nvme0n1/size": "0", "/sys/block/nvme0n1/device/state": "dead"}
    made.commands = {asked: it for asked, it in made.commands.items() if "/dev/nvme0n1" not in asked}
    return made
