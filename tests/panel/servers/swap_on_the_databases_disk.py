"""PostgreSQL and a swap partition share one SSD with PLP; a tenth of swap is used. The expert: nothing grave; the disk
bears it, and there's no mirror that swap would have to be on.
"""

from tests.panel import build

PLACE = "/var/lib/postgresql"
FIRST = ()
NEVER = ("swap-without-redundancy", "swap-on-zvol", "consensus-log-shares-disk")


def server():
    disk = build.sata(attributes=build.PROTECTED)
    swap, _ = disk.partition(3, 8 * build.GIB, start=1048578048)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, PLACE, "xfs")],
        programs=[("postgres", f"{PLACE}/16/main")],
        files=build.postgresql(f"{PLACE}/16/main")
        | {"/proc/swaps": f"Filename Type Size Used Priority\n/dev/{swap} partition 8388604 838860 -2\n"},
    )
