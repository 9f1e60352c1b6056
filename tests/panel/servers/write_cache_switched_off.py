"""PostgreSQL on an 870 EVO whose write cache was switched off (`hdparm -W0`): slow and safe. The expert: nothing is
wrong with its data.
"""

from tests.panel import build

FIRST = ()
NEVER = ("volatile-cache-not-flushed", "commits-wait-for-drive", "flushes-without-protection")


def server():
    boot, disk = (
        build.sata(0, attributes=build.PROTECTED),
        build.sata(1, "Samsung SSD 870 EVO 1TB", 1000204886016, cache="write through"),
    )
    disk = build.said(disk, write_cache={"enabled": False})
    disk.made[0]["/sys/block/sdb/device/scsi_disk/1:0:0:0/cache_type"] = "write through"
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql")],
        files=build.postgresql("/var/lib/postgresql"),
    )
