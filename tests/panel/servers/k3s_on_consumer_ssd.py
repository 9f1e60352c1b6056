"""k3s, whose own database commits on a consumer SSD at 6 ms a flush: a drive with protection below it."""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:k3s /var/lib/rancher/k3s/server/db",)
NEVER = ("etcd-slow-flushes",)


def server():
    boot, disk = (
        build.sata(0, attributes=build.PROTECTED),
        build.sata(1, "Samsung SSD 870 EVO 1TB", 10**12, flush_ms=6.0),
    )
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/rancher")],
        programs=[("k3s-server", "/var/lib/rancher/k3s/server/db")],
    )
