"""A mail server on an md mirror of two disks; one has 16 sectors that it cannot read. The expert: that disk first, a
repair run of md writes them anew from the other half, and a new disk is ordered. Options of the filesystem can
wait.
"""

from tests.panel import build

FIRST = ("unreadable-data disk:sdb",)
NEVER = ("drive-failing", "md-degraded", "ext4-much-metadata")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [
        build.hdd(at, attributes=((197, "Current_Pending_Sector", 100, 0, 16 if at == 1 else 0),)) for at in (1, 2)
    ]
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid1", [it.name for it in disks])],
        mounts=[build.root(boot), build.Mount("/var/mail", "md0", "9:0", used=70, options="rw,noatime")],
        programs=[("dovecot", "/var/mail")],
    )
