"""A RAID 6 behind a MegaRAID with one drive missing: Pdgd. The expert: replace it; one more may go."""

from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)


def server():
    disk = controllers.megaraid(0, volume="Pdgd", drives=("Onln", "Onln", "Msng", "Onln", "Onln", "Onln"))
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
