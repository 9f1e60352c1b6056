"""Both halves of a mirror say that they fail: back up this minute; one finding that names both drives."""

from tests.panel import build

FIRST = ("drive-failing disk:sda",)
NEVER = ("access-times-written", "discards-never-sent")


def server():
    disks = [build.hdd(at, passed=False) for at in (0, 1)]
    return build.server(
        *disks, layers=[build.md("md0", "9:0", "raid1", ["sda", "sdb"])], mounts=[build.Mount("/", "md0", "9:0")]
    )
