"""A MegaRAID with two hot spares and a drive that nobody uses yet. Nothing."""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("raid-drive-sick", "raid-foreign-configuration")


def server():
    disk = controllers.megaraid(0, drives=("Onln", "Onln", "Onln", "Onln", "GHS", "DHS", "UGood"))
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
