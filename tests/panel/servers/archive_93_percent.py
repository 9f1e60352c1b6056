"""8 TB of archive at 93 %, healthy disks: plan for space this month; nothing is urgent."""

from tests.panel import build

FIRST = ("filling-up filesystem:/dev/sdb2",)
NEVER = ("nearly-full", "deleted-files-hold-space")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    return build.server(
        boot, disk, mounts=[build.root(boot), build.on(disk, "/archive", "xfs", used=93, size=7 * 10**12)]
    )
