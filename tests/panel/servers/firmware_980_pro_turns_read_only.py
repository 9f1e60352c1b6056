"""A mirror of two 980 PRO with 3B2QGXA7: update their firmware before they turn read-only, one at a time."""

from tests.panel import build

FIRST = ("firmware-loses-data disk:nvme0n1",)
NEVER = ("firmware-misbehaves", "drive-failing")


def server():
    bad = {"model": "Samsung SSD 980 PRO 2TB", "firmware": "3B2QGXA7", "device__firmware_rev": "3B2QGXA7"}
    one, two = build.nvme(0, **bad), build.nvme(1, **bad)
    return build.server(
        one,
        two,
        layers=[build.md("md0", "9:0", "raid1", ["nvme0n1p2", "nvme1n1p2"])],
        mounts=[build.root(one), build.Mount("/srv", "md0", "9:0")],
    )
