"""A mirror that an LSI card in IR mode keeps, degraded: replace the drive today; its cache nobody knows."""

from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)
NEVER = ("flushes-without-protection", "self-test-never-run", "log-beside-data-on-hard-disk")


def server():
    volume = controllers.mpt3sas("degraded")
    mounts = [build.root(volume), build.on(volume, "/srv", "xfs")]
    return build.server(volume, mounts=mounts, programs=[("postgres", "/srv/pg")])
