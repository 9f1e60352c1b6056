"""Consul on an SSD with capacitors that flushes in 0.08 ms, as it should be. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("commits-wait-for-drive", "consensus-log-shares-disk")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED, flush_ms=0.08)
    return build.server(
        boot, disk, mounts=[build.root(boot), build.on(disk, "/opt/consul")], programs=[("consul", "/opt/consul")]
    )
