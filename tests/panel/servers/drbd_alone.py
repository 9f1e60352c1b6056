"""A database on DRBD whose peer has stood alone since a split brain, on SSDs with PLP, flushes off. The expert: no
other machine has today's data; mend the connection before the disk goes. Flushes off is fine on these drives.
"""

from tests.panel import build

FIRST = ("drbd-not-in-sync layer:drbd0",)
NEVER = ("drbd-flushes-off",)


def server():
    drive = build.sata(attributes=build.PROTECTED)
    name, _ = drive.partition(2, start=209715200 + 2048)
    device, said = build.drbd(name, "alone_no_flush")
    data = build.Mount("/srv", "drbd0", "147:0", "xfs")
    return build.server(drive, mounts=[build.root(drive), data], layers=[device], commands=said)
