"""An archive of 200 TiB at 96 %: 8 TiB are free. The expert: plan space; not urgent, not critical."""

from tests.panel import build

FIRST = ("filling-up filesystem:/dev/sdb2",)
NEVER = ("nearly-full",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1, size=220 * 10**12)
    return build.server(
        boot, disk, mounts=[build.root(boot), build.on(disk, "/archive", "xfs", used=96, size=200 * 1024 * build.GIB)]
    )
