"""etcd on a hard disk, 12 ms a flush: one finding - it belongs on an SSD with capacitors."""

from tests.panel import build

FIRST = ("etcd-slow-flushes service:etcd /var/lib/etcd",)
NEVER = ("access-times-written", "etcd-on-hard-disk", "commits-wait-for-drive")


def server():
    disk = build.hdd(0, flush_ms=12.0)
    return build.server(
        disk, mounts=[build.root(disk), build.on(disk, "/var/lib/etcd")], programs=[("etcd", "/var/lib/etcd")]
    )
