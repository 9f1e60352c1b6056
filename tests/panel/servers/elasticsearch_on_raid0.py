"""A data node of Elasticsearch on RAID 0 of two NVMe drives with PLP, as its makers recommend: replicas are on other
nodes. Nothing.
"""

from tests.panel import build

FIRST = ()
NEVER = ("database-without-redundancy",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.nvme(at, build.PM9A3, 3840755982336) for at in (0, 1)]
    array = build.md("md0", "9:0", "raid0", [it.name for it in disks])
    return build.server(
        boot,
        *disks,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/var/lib/elasticsearch", "md0", "9:0", "xfs")],
        programs=[("java", "/var/lib/elasticsearch")],
    )
