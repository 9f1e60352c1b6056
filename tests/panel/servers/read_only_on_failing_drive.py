"""ext4 went read-only after errors on a drive that fails its own test: the drive is the cause, one finding."""

from tests.panel import build

FIRST = ("drive-failing disk:sda",)
NEVER = ("filesystem-errors", "filesystem-shut-down", "unreadable-data")


def server():
    disk = build.hdd(0, passed=False, attributes=((197, "Current_Pending_Sector", 100, 0, 96),))
    data = build.on(disk, "/srv", inside="ro,errors=remount-ro", files={"/sys/fs/ext4/sda2/errors_count": "31"})
    return build.server(disk, mounts=[build.root(disk), data], kernel="6.8.0-60-generic")
