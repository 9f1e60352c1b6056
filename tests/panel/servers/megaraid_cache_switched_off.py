"""PostgreSQL on a RAID 5 of hard disks behind a MegaRAID whose CacheVault is optimal and whose policy is write through:
somebody never switched the cache on, or never back on. The expert: set it to write back, never to always write back.
"""

from tests.panel import build, controllers

FIRST = ("raid-cache-switched-off disk:sda",)
NEVER = ("raid-battery-write-through", "log-beside-data-on-hard-disk")


def server():
    disk = controllers.megaraid(0, cache="RWTD")
    disk.made[0]["/sys/block/sda/queue/rotational"] = "1"
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql")],
        files=build.postgresql("/var/lib/postgresql"),
    )
