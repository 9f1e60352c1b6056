"""A fast volume on a small instance, at its own limit for half a day: take a larger size."""

from tests.panel import build

FIRST = ("cloud-instance-at-its-limit disk:nvme1n1",)
NEVER = ("cloud-volume-at-its-limit", "commits-wait-for-drive")


def server():
    boot, disk = build.ebs(0, 20 * build.GIB), build.ebs(1, instance=43_200_000_000)
    place = "/var/lib/postgresql"
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, place, "xfs")],
        programs=[("postgres", f"{place}/16/main")],
        files=build.AMAZON | build.postgresql(f"{place}/16/main"),
        vm="amazon",
    )
