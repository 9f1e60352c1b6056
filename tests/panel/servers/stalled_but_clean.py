"""All tasks wait for the disk and next to nothing is dirty: dirty limits are not the cause."""

from tests.panel import build

FIRST = ()
NEVER = ("long-writeback",)


def server():
    disk = build.hdd(0)
    return build.server(disk, mounts=[build.root(disk)], stalled=True, dirty_mib=1, memory=512)
