"""PostgreSQL on a mirror of two namespaces of one NVMe drive. The expert: that drive's failure takes both copies."""

from tests.panel import build

FIRST = ("array-on-one-disk layer:md0",)
NEVER = ("database-without-redundancy",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    halves = [build.nvme(0, build.PM9A3, namespace=at) for at in (1, 2)]
    mirror = build.md("md0", "9:0", "raid1", [it.name for it in halves])
    mounts = [build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs")]
    return build.server(boot, *halves, layers=[mirror], mounts=mounts, programs=[("postgres", "/srv/pg")])
