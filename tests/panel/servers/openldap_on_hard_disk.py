"""OpenLDAP on a hard disk, 9 ms for each change: usual for the disk; one with a protected cache is faster."""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:openldap /var/lib/ldap",)
NEVER = ("drive-failing",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1, flush_ms=9.0)
    return build.server(
        boot, disk, mounts=[build.root(boot), build.on(disk, "/var/lib/ldap")], programs=[("slapd", "/var/lib/ldap")]
    )
