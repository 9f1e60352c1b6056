"""An optimal Adaptec volume, one member of which predicts its failure: replace it while the volume is whole."""

from tests.panel import build, controllers

FIRST = ("raid-drive-sick disk:sda",)
NEVER = ("raid-volume-degraded",)


def server():
    volume = controllers.adaptec(smart=("No", "No", "Yes", "No"))
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
