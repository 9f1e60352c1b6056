"""Consul on a consumer NVMe drive at 2.4 ms a flush: each entry of its log waits that long."""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:consul /opt/consul",)
NEVER = ("etcd-slow-flushes",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.nvme(0, flush_ms=2.4)
    return build.server(
        boot, disk, mounts=[build.root(boot), build.on(disk, "/opt/consul")], programs=[("consul", "/opt/consul")]
    )
