"""A file server whose hard disk lost its scheduler to a udev rule meant for flash: mq-deadline again."""

from tests.panel import build

FIRST = ("hard-disk-without-scheduler disk:sdb",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1, queue__scheduler="[none] mq-deadline")
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv")])
