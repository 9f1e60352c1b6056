"""An SSD at 61 °C that its maker allows 70, a hard disk at 63 °C that is rated for 70, one at 52 °C.

Another tells 186 °C, which is no temperature. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("drive-above-its-temperature",)


def server():
    boot = build.said(
        build.sata(0, attributes=build.PROTECTED), temperature={"current": 61}, **build.statistics(limit=(5, 88, 70))
    )
    told = ({"current": 52}, {"current": 63, "op_limit_max": 70}, {"current": 186})
    disks = [build.said(build.hdd(at), temperature=one) for at, one in enumerate(told, 1)]
    return build.server(
        boot, *disks, mounts=[build.root(boot), *(build.on(it, f"/srv/{at}") for at, it in enumerate(disks))]
    )
