"""A hard disk below 512 GiB of memory, 14 GiB dirty, tasks stalled: bound the dirty pages."""

from tests.panel import build

FIRST = ("long-writeback host",)


def server():
    disk = build.hdd(0)
    return build.server(disk, mounts=[build.root(disk)], stalled=True, dirty_mib=14000, memory=512)
