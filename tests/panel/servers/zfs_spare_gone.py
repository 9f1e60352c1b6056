"""The pool is ONLINE, its spare and its cache device are not: the next failure finds no spare. Replace the spare, take
the cache out; nothing is lost yet.
"""

from tests.panel import pools

FIRST = ("zfs-cache-or-spare-lost filesystem:zfs at /tank",)
NEVER = ("zfs-pool-not-online", "zfs-device-errors", "copies-on-one-disk")


def server():
    lost = (("/dev/nvme9n1", 0, 0, 0), "spares", ("/dev/sdd1", 0, 0, 0))
    made = pools.on_zfs(vdevs=("mirror", ("/dev/sdb1",), ("/dev/sdc1",), "cache", *lost))
    for asked, said in made.commands.items():
        made.commands[asked] = said.replace("/dev/nvme9n1  ONLINE", "/dev/nvme9n1  FAULTED").replace(
            "/dev/sdd1  ONLINE  0 0 0", "/dev/sdd1  UNAVAIL"
        )
    return made
