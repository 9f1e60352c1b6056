"""A gateway with its root on eMMC: life time estimation 0x0b (past its rated life). The expert: image it today, move
what writes; it turns read-only or stops soon.
"""

from tests.panel import build
from tests.told import disk

FIRST = ("drive-worn-out disk:mmcblk0",)


def server(life="0x0b 0x01", spare="0x01"):
    made = disk(
        "mmcblk0",
        where="platform/soc/fe340000.mmc/mmc_host/mmc0/mmc0:0001",
        number="179:0",
        size=str(32 * build.GIB // 512),
        queue__scheduler="none [mq-deadline]",
        queue__zoned="none",
        device__type="MMC",
        device__name="DG4032",
        device__life_time=life,
        device__pre_eol_info=spare,
    )
    drive = build.Drive("mmcblk0", made, {}, 32 * build.GIB, "179:0")
    return build.server(
        drive,
        mounts=[build.Mount("/", *drive.partition(2, 28 * build.GIB), size=28 * build.GIB)],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n",
        kernel="6.6.51+rpt-rpi-v8",
        memory=4,
    )
