"""The same drive with the newer revision: nothing to say of its firmware."""

from tests.panel import build

FIRST = ()
NEVER = ("firmware-loses-data", "firmware-misbehaves")


def server():
    good = {"model": "Samsung SSD 980 PRO 2TB", "firmware": "5B2QGXA7", "device__firmware_rev": "5B2QGXA7"}
    drive = build.nvme(0, **good)
    return build.server(drive, mounts=[build.root(drive), build.on(drive, "/srv")])
