"""etcd on an SSD with capacitors, probed at 0.9 ms in 99 of 100 commits. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("etcd-probed-too-slow", "etcd-slow-flushes")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)
    made = build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/etcd")],
        programs=[("etcd", "/var/lib/etcd")],
    )
    return build.probed(made, "/var/lib/etcd", 900.0, 300.0)
