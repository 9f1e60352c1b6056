"""An NVMe drive whose critical warning has bit 2, with no media errors yet. The expert: it says that it is failing."""

from tests.panel import build

FIRST = ("drive-failing disk:nvme1n1",)


def server():
    boot, disk = build.nvme(0, build.PM9A3), build.nvme(1, build.PM9A3, log={"critical_warning": 4})
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
