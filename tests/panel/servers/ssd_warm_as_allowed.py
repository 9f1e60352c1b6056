"""An SSD at 61 °C that its maker allows 70, and a hard disk at 52 °C: warm, and nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("drive-above-its-temperature",)


def server():
    boot = build.said(
        build.sata(0, attributes=build.PROTECTED), temperature={"current": 61}, **build.statistics(limit=(5, 88, 70))
    )
    disk = build.said(build.hdd(1), temperature={"current": 52})
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv")])
