"""A MegaRAID volume, write back with a battery that is well, as the vendor sets it. Nothing to say."""

from tests.panel import build, controllers

FIRST = ()


def server():
    disk = controllers.megaraid()
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
