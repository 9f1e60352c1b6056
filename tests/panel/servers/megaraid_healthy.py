"""A MegaRAID volume, write back with a battery that is well, as the vendor sets it. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.megaraid()
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
