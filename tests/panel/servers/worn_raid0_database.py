"""PostgreSQL on RAID 0 of drives with 97 % of their endurance used: order replacements now."""

from tests.panel import build

FIRST = ("drive-nearly-worn-out disk:nvme0n1",)
NEVER = ("xfs-stripe-mismatch",)


def server():
    disks = [build.nvme(at, "Samsung SSD 980 PRO 1TB", log={"percent_used": 97, "avail_spare": 12}) for at in (0, 1)]
    boot = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid0", ["nvme0n1", "nvme1n1"])],
        mounts=[build.root(boot), build.Mount("/var/lib/postgresql", "md0", "9:0", "xfs")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
    )
