"""A RAID 5 of four that lost two members when their controller reset. The expert: it has failed, not degraded. Touch
nothing, add nothing; bring both drives back, then --assemble --force. `mdadm --add` now would end it.
"""

from tests.panel import build

FIRST = ("md-failed layer:md0",)
BESIDE = ("md-degraded layer:md0",)
NEVER = ("md-small-stripe-cache", "long-writeback")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at) for at in (1, 2, 3, 4)]
    array = build.md("md0", "9:0", "raid5", ["sdb", "sdc"], md__raid_disks="4", md__degraded="2",
                     md__array_state="clean")  # fmt: skip
    return build.server(
        boot,
        *disks,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs", inside="rw,attr2,inode64,noquota")],
        log=("md/raid:md0: Disk failure on sdd, disabling device.",
             "md/raid:md0: Disk failure on sde, disabling device.",
             "XFS (md0): log I/O error -5"),
    )  # fmt: skip
