"""MySQL on NFS mounted soft: a slow filer becomes failed writes."""

from tests.panel import build

FIRST = ("database-on-soft-nfs service:mysql /var/lib/mysql",)
NEVER = ("access-times-written", "fstab-device-missing")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    share = build.Mount(
        "/var/lib/mysql", "filer:/db", "0:62", "nfs4", inside="rw,vers=4.2,soft,timeo=50,proto=tcp", fstab="soft"
    )
    made = build.server(disk, mounts=[build.root(disk), share], programs=[("mysqld", "/var/lib/mysql")])
    for path in ("/proc/self/mountinfo", "/etc/fstab"):
        made.files[path] = made.files[path].replace("/dev/filer:", "filer:")
    return made
