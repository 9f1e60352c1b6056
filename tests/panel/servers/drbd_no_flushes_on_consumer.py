"""DRBD with disk-flushes no over a consumer SSD, alone besides. The expert: a power cut takes what was committed and
DRBD's own metadata. Turn flushes on, then mend the connection.
"""

from tests.panel import build

FIRST = ("drbd-not-in-sync layer:drbd0", "drbd-flushes-off layer:drbd0")


def server():
    drive = build.nvme()
    name, _ = drive.partition(2, start=209715200 + 2048)
    device, said = build.drbd(name, "alone_no_flush")
    data = build.Mount("/srv", "drbd0", "147:0", "xfs")
    return build.server(drive, mounts=[build.root(drive), data], layers=[device], commands=said)
