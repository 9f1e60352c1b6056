"""MySQL on a thin volume of a pool at 97 %, whose extension is off. The expert: give the pool space now; at 100 %
writes fail or hang. Only then the rest.
"""

from tests.panel import build

FIRST = ("thin-pool-nearly-full layer:dm-1",)
NEVER = ("nearly-full", "drive-failing", "innodb-doublewrite-off")


def server():
    disk = build.sata(attributes=build.PROTECTED)
    return build.server(
        disk,
        mounts=[build.root(disk), build.Mount("/var/lib/mysql", "dm-2", "253:2", "xfs")],
        **build.thin_pool(disk, "mysql", data="97.12", metadata="31.00"),
        programs=[("mysqld", "/var/lib/mysql")],
    )
