"""A small board on an SD card; the kernel log has errors of mmcblk0. The expert: image it now, another card."""

from tests.panel import build
from tests.told import disk

FIRST = ("disk-errors-in-log disk:mmcblk0",)

LOG = (
    "mmc0: Card stuck being busy! __mmc_poll_for_busy",
    "mmcblk0: error -110 sending stop command, original cmd response 0x900, card status 0x200e00",
    "I/O error, dev mmcblk0, sector 7602176 op 0x1:(WRITE) flags 0x0 phys_seg 2 prio class 2",
    "Buffer I/O error on dev mmcblk0p2, logical block 884736, lost async page write",
)


def server(log=LOG, **more):
    made = disk(
        "mmcblk0",
        where="platform/emmc2bus/fe340000.mmc/mmc_host/mmc0/mmc0:aaaa",
        number="179:0",
        size=str(64 * build.GIB // 512),
        queue__scheduler="none [mq-deadline]",
        queue__zoned="none",
        device__type="SD",
        device__name="SD64G",
    )
    drive = build.Drive("mmcblk0", made, {}, 64 * build.GIB, "179:0")
    return build.server(
        drive,
        mounts=[build.Mount("/", *drive.partition(2, 60 * build.GIB), size=60 * build.GIB, fstab="errors=remount-ro")],
        fstab="PARTUUID=738a4d67-02 / ext4 defaults,noatime 0 1\n",
        kernel="6.6.51+rpt-rpi-v8",
        log=log,
        **more,
    )
