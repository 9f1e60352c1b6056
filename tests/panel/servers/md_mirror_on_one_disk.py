"""Both halves of /srv's mirror are partitions of sda, which mdstat shows as whole: no redundancy at all. Give it a
second drive, and let it replace one half.
"""

from tests.panel import build

FIRST = ("array-on-one-disk layer:md0",)
NEVER = ("md-degraded",)


def server():
    drive, boot = build.hdd(0), build.nvme(0, build.PM9A3, vwc=6, cache="write through")
    halves = [drive.partition(2)[0], drive.partition(3, start=900_000_000)[0]]
    return build.server(
        boot,
        drive,
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
        layers=[build.md("md0", "9:0", "raid1", halves)],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n",
    )
