"""PostgreSQL on EBS that was at its limit for ten seconds in ten days, at a backup. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("cloud-volume-at-its-limit", "commits-wait-for-drive")


def server():
    boot, disk = build.ebs(0, 20 * build.GIB), build.ebs(1, volume=10_000_000)
    place = "/var/lib/postgresql"
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, place, "xfs")],
        programs=[("postgres", f"{place}/16/main")],
        files=build.AMAZON | build.postgresql(f"{place}/16/main"),
        vm="amazon",
    )
