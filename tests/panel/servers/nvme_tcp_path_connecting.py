"""MySQL on a disk by NVMe over TCP with two paths, one of which reconnects for some minutes. The expert: one is left;
mend the other fabric before anything else.
"""

from tests.panel import build
from tests.told import disk

FIRST = ("nvme-path-lost disk:nvme2n1",)
NEVER = ("disk-offline", "commits-wait-for-drive")


def server(*states):
    boot = build.sata(0, attributes=build.PROTECTED)
    where, size = "virtual/nvme-subsystem/nvme-subsys2", 2048 * build.GIB
    quiet = {"size": str(size // 512), "queue__scheduler": "none", "device__model": "SPDK bdev Controller"}
    files, links = disk("nvme2n1", where=where, number="259:8", cache="write through", **quiet)
    for at, state in enumerate(states or ("live", "connecting"), 2):
        name = f"nvme2c{at}n1"
        path, _ = disk(name, number="0:0", hidden="1", device__transport="tcp", device__state=state)
        files |= path
        links |= {f"/sys/block/{name}": f"../devices/virtual/nvme-fabrics/ctl/nvme{at}/{name}"}
    drive = build.Drive("nvme2n1", (files, links), {}, size, "259:8")
    data = build.Mount("/var/lib/mysql", "nvme2n1", "259:8", "xfs", fstab="noatime,_netdev", options="rw,noatime")
    return build.server(boot, drive, mounts=[build.root(boot), data], programs=[("mysqld", "/var/lib/mysql")])
