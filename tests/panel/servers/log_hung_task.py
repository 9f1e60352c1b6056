"""A task that hung today, on disks that are well: look what it waited for."""

from tests.panel import build

FIRST = ("tasks-hung-in-log host",)
NEVER = ("disk-errors-in-log",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    said = ("INFO: task jbd2/sda1-8:345 blocked for more than 120 seconds.",)
    return build.server(disk, mounts=[build.root(disk)], log=said)
