"""A hard disk at 63 °C in a bay without air; its maker allows 60. Look at the fans before anything else."""

from tests.panel import build

FIRST = ("drive-above-its-temperature disk:sdb",)
NEVER = ("drive-failing", "drive-too-hot")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    hot = build.said(build.hdd(1), temperature={"current": 63, "op_limit_max": 60})
    cool = build.said(build.hdd(2), temperature={"current": 41, "op_limit_max": 60})
    return build.server(boot, hot, cool, mounts=[build.root(boot), build.on(hot, "/srv"), build.on(cool, "/data")])
