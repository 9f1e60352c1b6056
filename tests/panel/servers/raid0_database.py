"""PostgreSQL on RAID 0 of two good drives: one drive lost is the database lost. Say that before any tuning."""

from tests.panel import build

FIRST = ("database-without-redundancy service:postgresql /var/lib/postgresql/16/main",)
NEVER = ("xfs-stripe-mismatch", "access-times-written", "timestamps-written-at-once")


def server():
    disks = [build.nvme(at, build.PM9A3, 3840755982336, vwc=6, cache="write through", capacitors=100) for at in (0, 1)]
    boot = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid0", ["nvme0n1", "nvme1n1"])],
        mounts=[build.root(boot), build.Mount("/var/lib/postgresql", "md0", "9:0", "xfs")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main"),
    )
