"""RHEL 7, PostgreSQL on LVM on a PERC RAID 10 whose battery is dead: the cache fell back to write-through. The expert:
each commit now waits for disks; replace the battery. Nothing acknowledged is lost, and no setting helps.
"""

from tests.panel import build, controllers

FIRST = ("raid-battery-write-through disk:sda",)
NEVER = ("power-loss-protection-failed", "commits-wait-for-drive", "flushes-without-protection")


def server():
    disk = controllers.megaraid(model="PERC H730 Mini", vendor="DELL    ", tool="perccli64", cache="RWTD",
                                battery="Failed")  # fmt: skip
    part, _ = disk.partition(2, start=209715200 + 2048)
    data = build.volume("dm-0", "253:0", [part], "vg0-pgdata")
    return build.server(
        disk,
        layers=[data],
        mounts=[build.root(disk), build.Mount("/var/lib/pgsql", "dm-0", "253:0", "xfs")],
        programs=[("postgres", "/var/lib/pgsql/9.6/data")],
        files={"/var/lib/pgsql/9.6/data/PG_VERSION": "9.6\n", "/var/lib/pgsql/9.6/data/postgresql.conf": ""},
        commands={"dmsetup table": "vg0-pgdata: 0 838860800 linear 8:2 2048\n"},
        kernel="3.10.0-1160.119.1.el7.x86_64",
        stalled=True,
        dirty_mib=4000,
    )
