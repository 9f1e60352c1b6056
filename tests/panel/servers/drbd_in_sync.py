"""DRBD in sync over an SSD with PLP, XFS on it. The expert: nothing."""

from tests.panel import build

FIRST = ()
NEVER = ("drbd-not-in-sync", "drbd-flushes-off")


def server():
    drive = build.sata(attributes=build.PROTECTED)
    name, _ = drive.partition(2, start=209715200 + 2048)
    device, said = build.drbd(name, "in_sync")
    data = build.Mount("/srv", "drbd0", "147:0", "xfs")
    return build.server(drive, mounts=[build.root(drive), data], layers=[device], commands=said)
