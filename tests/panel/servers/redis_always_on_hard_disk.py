"""Redis with appendfsync always on a hard disk, 22 ms a flush. The expert: each write waits for it, so an SSD with
PLP or everysec. That the disk spends its time on flushes is the same thing, said once.
"""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:redis /var/lib/redis",)
NEVER = ("flushes-without-protection",)
BESIDE = ("flushes-without-protection disk:sdb",)
SETTINGS = "dir /var/lib/redis\nappendonly yes\nappendfsync always\n"


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1, flush_ms=22)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/redis", "xfs")],
        programs=[("redis-server", "/var/lib/redis")],
        files={"/etc/redis/redis.conf": SETTINGS},
    )
