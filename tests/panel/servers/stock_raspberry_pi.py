"""Raspberry Pi OS on an SD card as it is written by the imager. Nothing."""

from tests.panel import build
from tests.told import disk

FIRST = ()
NEVER = ("fstab-kernel-name", "disk-errors-in-log")


def server():
    made = disk(
        "mmcblk0",
        where="platform/soc/fe340000.mmc/mmc_host/mmc0/mmc0:aaaa",
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
        mounts=[
            build.Mount(
                "/", *drive.partition(2, 58 * build.GIB, 1056768), options="rw,noatime", size=58 * build.GIB, used=12
            ),
            build.Mount(
                "/boot/firmware",
                *drive.partition(1, build.GIB // 2, 8192),
                "vfat",
                inside="rw,fmask=0022,errors=remount-ro",
                size=build.GIB // 2,
                used=14,
            ),
        ],
        fstab="proc /proc proc defaults 0 0\nPARTUUID=738a4d67-01 /boot/firmware vfat defaults 0 2\n"
        "PARTUUID=738a4d67-02 / ext4 defaults,noatime 0 1\n",
        kernel="6.6.51+rpt-rpi-v8",
        memory=8,
    )
