"""PostgreSQL on a gp3 that asked for more than its 3,000 operations for a day of ten: provision more of them."""

from tests.panel import build

FIRST = ("cloud-volume-at-its-limit disk:nvme1n1",)
NEVER = ("cloud-instance-at-its-limit", "commits-wait-for-drive")


def server():
    boot, disk = build.ebs(0, 20 * build.GIB), build.ebs(1, volume=86_400_000_000)
    place = "/var/lib/postgresql"
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, place, "xfs")],
        programs=[("postgres", f"{place}/16/main")],
        files=build.AMAZON | build.postgresql(f"{place}/16/main"),
        vm="amazon",
    )
