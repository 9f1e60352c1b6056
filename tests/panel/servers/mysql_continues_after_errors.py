"""MySQL on an ext4 with errors=continue: after an error it writes on over damaged metadata. The expert: remount-ro."""

from tests.panel import build

FIRST = ()
BESIDE = ("ext4-continues-after-errors service:mysql /var/lib/mysql",)
NEVER = ("filesystem-errors",)


def server():
    drive = build.sata(attributes=build.PROTECTED)
    data = build.on(drive, "/var/lib/mysql", inside="rw,errors=continue", fstab="errors=continue")
    return build.server(drive, mounts=[build.root(drive), data], programs=[("mysqld", "/var/lib/mysql")])
