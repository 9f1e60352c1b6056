"""An NVMe drive with 9 % spare at a threshold of 10 that warns of nothing: order its replacement all the same."""

from tests.panel import build

FIRST = ("drive-nearly-worn-out disk:nvme0n1",)


def server():
    disk = build.nvme(0, log={"avail_spare": 9, "percent_used": 70})
    return build.server(disk, mounts=[build.root(disk)])
