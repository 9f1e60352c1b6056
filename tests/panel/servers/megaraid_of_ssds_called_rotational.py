"""etcd on a MegaRAID volume of SSDs that the kernel takes for rotational, as its firmware says. The cache is protected,
a flush takes 0.1 ms. The expert: nothing.
"""

from tests.machines import parts
from tests.panel import build, controllers

FIRST = ()
NEVER = ("etcd-on-hard-disk", "etcd-slow-flushes", "hard-disk-without-scheduler", "raid-cache-switched-off")


def server():
    disk = controllers.megaraid(0)
    disk.made[0]["/sys/block/sda/queue/rotational"] = "1"
    disk.made[0]["/sys/block/sda/stat"] = parts.stat(10_000_000, 1000)
    disk.commands = {asked: said.replace('"Med": "HDD"', '"Med": "SSD"') for asked, said in disk.commands.items()}
    return build.server(
        disk, mounts=[build.root(disk), build.on(disk, "/var/lib/etcd")], programs=[("etcd", "/var/lib/etcd")]
    )
