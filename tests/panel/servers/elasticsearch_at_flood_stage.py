"""A data node of Elasticsearch whose disk is 97 % full. The expert: the disk is full, and since 95 % its indices are
read-only; free space through its API, and the block ends.
"""

from tests.panel import build

FIRST = (
    "nearly-full filesystem:/dev/nvme0n1p2",
    "elasticsearch-flood-stage service:elasticsearch /var/lib/elasticsearch",
)
NEVER = ("database-without-redundancy",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disk = build.nvme(0, build.PM9A3, 960197124096)
    data = build.on(disk, "/var/lib/elasticsearch", "xfs")
    data.used = 97
    return build.server(boot, disk, mounts=[build.root(boot), data], programs=[("java", "/var/lib/elasticsearch")])
