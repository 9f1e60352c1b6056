"""Redis with appendfsync everysec on a consumer SSD: once a second is slow enough for any drive. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("commits-wait-for-drive",)


def server():
    disk = build.sata(0, "Samsung SSD 870 EVO 500GB", 500107862016, flush_ms=3.0)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/redis")],
        programs=[("redis-server", "/var/lib/redis")],
        files={"/etc/redis/redis.conf": "dir /var/lib/redis\nappendonly yes\nappendfsync everysec\n"},
    )
