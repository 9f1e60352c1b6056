"""A RAID 6 rebuilds at the 20 MB/s that somebody once set: raise the limit until it is whole again."""

from tests.panel import build

FIRST = ("md-degraded layer:md0", "md-rebuild-held-back layer:md0")
NEVER = ("md-without-bitmap", "long-writeback")


def server():
    disks = [build.hdd(at) for at in range(4)]
    slow = {"md__sync_speed": "19800", "md__sync_speed_max": "20000 (local)"}
    return build.server(
        *disks,
        layers=[
            build.md("md0", "9:0", "raid6", ["sda", "sdb", "sdc"], md__degraded="1", md__sync_action="recover", **slow)
        ],
        mounts=[build.Mount("/", "md0", "9:0")],
    )
