"""A MegaRAID copies from its spare back to the new drive: Cpybck, the volume optimal. Nothing to do but wait."""

from tests.panel import build, controllers

FIRST = ()


def server():
    disk = controllers.megaraid(0, drives=("Onln", "Onln", "Onln", "Onln", "Cpybck"))
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
