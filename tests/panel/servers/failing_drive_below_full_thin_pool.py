"""A failing drive below a thin pool at 95 %: the drive, then the pool; no word on discards or alignment."""

from tests.panel import build

FIRST = ("drive-failing disk:sda", "thin-pool-nearly-full layer:dm-1")
NEVER = ("long-writeback", "discards-never-sent", "access-times-written")


def server():
    disk = build.hdd(0, passed=False)
    return build.server(
        disk,
        mounts=[build.root(disk), build.Mount("/srv", "dm-2", "253:2")],
        **build.thin_pool(disk, "vm", data="95.00", metadata="40.00"),
        stalled=True,
        dirty_mib=9000,
    )
