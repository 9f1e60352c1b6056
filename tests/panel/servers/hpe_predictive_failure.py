"""A drive behind a Smart Array predicts its failure: replace it under warranty while the volume is whole."""

from tests.panel import build, controllers

FIRST = ("raid-drive-sick disk:sda",)
NEVER = ("raid-volume-degraded",)


def server():
    disk = controllers.smart_array(drives=("OK", "OK", "Predictive Failure", "OK"))
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
