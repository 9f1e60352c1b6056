"""A mirror whose older half has three spare percent left above its threshold: order that drive."""

from tests.panel import build

FIRST = ("drive-nearly-worn-out disk:nvme0n1",)
NEVER = ("drive-failing", "access-times-written")


def server():
    disks = [build.nvme(at, log={"percent_used": 61, "avail_spare": 13 if at == 0 else 100}) for at in (0, 1)]
    return build.server(
        *disks,
        layers=[build.md("md0", "9:0", "raid1", ["nvme0n1", "nvme1n1"])],
        mounts=[build.Mount("/", "md0", "9:0")],
    )
