"""A Smart Array whose volume is being expanded over a new drive, all drives OK: it keeps its copies. Nothing to say."""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("raid-volume-degraded",)


def server():
    disk = controllers.smart_array(volume="Transforming, 34.50% complete")
    return build.server(disk, mounts=[build.root(disk)])
