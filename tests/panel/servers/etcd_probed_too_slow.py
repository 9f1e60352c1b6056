"""etcd on an SSD with capacitors whose probe found 14 ms in one of a hundred commits: it asks for 10."""

from tests.panel import build

FIRST = ("etcd-probed-too-slow service:etcd /var/lib/etcd",)
NEVER = ("etcd-slow-flushes", "commits-wait-for-drive")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)
    made = build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/etcd")],
        programs=[("etcd", "/var/lib/etcd")],
    )
    return build.probed(made, "/var/lib/etcd", 14_000.0, 800.0)
