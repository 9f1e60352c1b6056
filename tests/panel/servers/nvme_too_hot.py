"""An NVMe drive that throttles because it is too hot: give it air."""

from tests.panel import build

FIRST = ("drive-too-hot disk:nvme0n1",)
NEVER = ("drive-failing",)


def server():
    disk = build.nvme(0, log={"critical_warning": 2})
    return build.server(disk, mounts=[build.root(disk)])
