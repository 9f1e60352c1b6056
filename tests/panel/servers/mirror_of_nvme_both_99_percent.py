"""PostgreSQL on an md mirror of two 990 PRO that have both used 99 %. The expert: bought together, worn together:
order two, and replace one at a time with the other still whole.
"""

from tests.panel import build

PLACE = "/var/lib/postgresql"
FIRST = ("drive-nearly-worn-out disk:nvme0n1", "array-worn-alike layer:md0")
NEVER = ("drive-failing", "drive-worn-out", "md-degraded")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.nvme(at, flush_ms=0.8, log={"percent_used": 99}) for at in (0, 1)]
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid1", [it.name for it in disks])],
        mounts=[build.root(boot), build.Mount(PLACE, "md0", "9:0")],
        programs=[("postgres", f"{PLACE}/16/main")],
        files=build.postgresql(f"{PLACE}/16/main"),
    )
