"""PostgreSQL with full dirty limits on hard disks, tasks stalled, 20 GB dirty: the backlog is the stall."""

from tests.panel import build

FIRST = ("long-writeback host",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/backup", "xfs")],
        stalled=True,
        dirty_mib=20000,
        memory=256,
    )
