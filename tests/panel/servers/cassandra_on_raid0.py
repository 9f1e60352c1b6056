"""A node of Cassandra on RAID 0 of two NVMe drives with PLP: two other nodes have each row. Nothing."""

from tests.panel import build
from tests.panel.servers import cassandra_on_shingled_disks

FIRST = ()
NEVER = ("database-without-redundancy",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.nvme(at, build.PM9A3, 3840755982336) for at in (0, 1)]
    array = build.md("md0", "9:0", "raid0", [it.name for it in disks])
    made = build.server(
        boot,
        *disks,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/var/lib/cassandra", "md0", "9:0", "xfs")],
    )
    like = cassandra_on_shingled_disks.server()
    made.running += [one | {"cwd": "/var/lib/cassandra", "paths": ["/var/lib/cassandra"]} for one in like.running]
    return made
