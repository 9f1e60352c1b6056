"""Four 990 PROs under PostgreSQL, one at 92 % and the others at 37 %: order that one, then end the consumer flushes."""

from tests.panel import build

FIRST = ("drive-nearly-worn-out disk:nvme3n1", "commits-wait-for-drive service:postgresql /var/lib/postgresql/16/main")
NEVER = ("access-times-written", "timestamps-written-at-once", "long-writeback")


def server():
    disks = [build.nvme(at, flush_ms=1.4, log={"percent_used": 92 if at == 3 else 37}) for at in range(4)]
    boot = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid10", [it.name for it in disks])],
        mounts=[build.root(boot), build.Mount("/var/lib/postgresql", "md0", "9:0")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main"),
    )
