"""etcd on an 870 EVO with 7 ms a flush: too slow for etcd, whatever else is tuned."""

from tests.panel import build

FIRST = ("etcd-slow-flushes service:etcd /var/lib/etcd",)
NEVER = ("access-times-written",)


def server():
    disk = build.sata(0, "Samsung SSD 870 EVO 500GB", 500107862016, flush_ms=7.0)
    return build.server(
        disk, mounts=[build.root(disk), build.on(disk, "/var/lib/etcd")], programs=[("etcd", "/var/lib/etcd")]
    )
