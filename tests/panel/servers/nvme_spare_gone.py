"""An NVMe drive warns that its spare is gone: replace it; nothing else is worth doing to it."""

from tests.panel import build

FIRST = ("drive-failing disk:nvme0n1",)


def server():
    disk = build.nvme(0, log={"critical_warning": 1, "avail_spare": 3})
    return build.server(disk, mounts=[build.root(disk)])
