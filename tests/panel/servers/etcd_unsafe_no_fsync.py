"""etcd started with --unsafe-no-fsync, as a page said. The expert: a power cut loses the cluster's state."""

from tests.panel import build

FIRST = ("etcd-never-flushes service:etcd /var/lib/etcd",)
NEVER = ("etcd-slow-flushes",)


def server():
    drive = build.sata(attributes=build.PROTECTED)
    programs = [("etcd", "/var/lib/etcd", {"data_dir": "/var/lib/etcd", "unsafe_no_fsync": "true"})]
    return build.server(drive, mounts=[build.root(drive)], programs=programs)
