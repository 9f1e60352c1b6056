"""An NVMe drive throttles by heat, and its filesystem is at 99 %: space first, then air."""

from tests.panel import build

FIRST = ("nearly-full filesystem:/dev/nvme0n1p2", "drive-too-hot disk:nvme0n1")


def server():
    disk = build.nvme(0, log={"critical_warning": 2})
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs", used=99)])
