"""An NVMe drive that has turned itself read-only at the end of its life: copy what is on it, replace it."""

from tests.panel import build

FIRST = ("drive-failing disk:nvme0n1",)
NEVER = ("drive-worn-out", "commits-wait-for-drive")


def server():
    disk = build.nvme(0, "Samsung SSD 980 PRO 1TB", log={"critical_warning": 8, "percent_used": 104, "avail_spare": 3})
    return build.server(disk, mounts=[build.root(disk)])
