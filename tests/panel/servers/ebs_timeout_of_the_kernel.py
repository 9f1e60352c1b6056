"""PostgreSQL on EBS with the driver's 30 s: a slow moment of the volume turns the filesystem read-only. Raise it."""

from tests.panel import build

FIRST = ()
BESIDE = ("ebs-short-timeout disk:nvme0n1", "ebs-short-timeout disk:nvme1n1")
NEVER = ("cloud-volume-at-its-limit", "commits-wait-for-drive")


def server():
    boot, disk = build.ebs(0, 20 * build.GIB), build.ebs(1)
    place = "/var/lib/postgresql"
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, place, "xfs")],
        programs=[("postgres", f"{place}/16/main")],
        files=build.AMAZON
        | build.postgresql(f"{place}/16/main")
        | {"/sys/module/nvme_core/parameters/io_timeout": "30"},
        vm="amazon",
    )
