"""A PERC whose RAID 5 has lost a drive: replace it, tune nothing."""

from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)
NEVER = ("long-writeback", "timestamps-written-at-once")


def server():
    disk = controllers.megaraid(
        0, "PERC H730P Mini", "DELL    ", "perccli64", volume="Dgrd", drives=("Onln", "Onln", "Failed", "Onln")
    )
    return build.server(disk, mounts=[build.root(disk)], fstrim=False, kernel="6.1.0-28-amd64")
