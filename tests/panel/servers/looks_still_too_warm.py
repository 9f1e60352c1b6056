"""A hard disk at 58 °C, 61 an hour ago; its maker allows 60. The expert: it is as warm as before, look at the fans."""

from tests.machines import parts
from tests.panel import build

FIRST = ("drive-above-its-temperature disk:sdb",)
NEVER = ("drive-failing",)


def server():
    disk = build.said(build.hdd(1), temperature={"current": 58, "op_limit_max": 60})
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks((1, {"temperature_c": 61}), key=f"{build.HDD} {build.SERIAL}")
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv", "xfs")],
        files=kept,
        udev=parts.udev("sdb", build.HDD),
    )
