"""A drive fails, and fstab names a disk that is gone: the drive now, the entry before the reboot that it will need."""

from tests.panel import build

FIRST = ("drive-failing disk:sdb", "fstab-device-missing mount:/mnt/old")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1, passed=False)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv")],
        fstab="/dev/sda1 / ext4 errors=remount-ro 0 1\n/dev/sdb2 /srv ext4 defaults 0 2\n"
        "/dev/sdq1 /mnt/old ext4 defaults 0 2\n",
    )
