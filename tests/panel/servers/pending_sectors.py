"""A hard disk with unreadable sectors below a mail server: find what is hit and replace it."""

from tests.panel import build

FIRST = ("unreadable-data disk:sda",)
NEVER = ("long-writeback",)


def server():
    disk = build.hdd(0, attributes=((197, "Current_Pending_Sector", 100, 0, 24),))
    boot = build.sata(1, attributes=build.PROTECTED)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/mail")],
        programs=[("dovecot", "/var/mail")],
        stalled=True,
        dirty_mib=9000,
        memory=256,
    )
