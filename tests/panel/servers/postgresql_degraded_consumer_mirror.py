"""PostgreSQL on a mirror of consumer drives without its second half: the drive first, one with capacitors."""

from tests.panel import build

FIRST = ("md-degraded layer:md0",)
NEVER = ("commits-wait-for-drive", "access-times-written")


def server():
    disk, boot = build.nvme(0, flush_ms=1.6), build.sata(0, attributes=build.PROTECTED)
    return build.server(
        boot,
        disk,
        layers=[build.md("md0", "9:0", "raid1", ["nvme0n1"], md__degraded="1", md__raid_disks="2")],
        mounts=[build.root(boot), build.Mount("/var/lib/postgresql", "md0", "9:0")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main"),
    )
