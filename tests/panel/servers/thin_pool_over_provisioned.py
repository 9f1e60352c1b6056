"""A thin pool at 78 % data and 71 % metadata that nothing extends: extend it this week, before it is an incident."""

from tests.panel import build

FIRST = ("thin-pool-filling layer:dm-1",)
NEVER = ("long-writeback",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        disk,
        mounts=[build.root(disk), build.Mount("/srv", "dm-2", "253:2")],
        **build.thin_pool(disk, "vm", data="78.10", metadata="71.00"),
    )
