"""A mirror of an SSD and a hard disk of which no member is write-mostly: each read may wait for the heads. The expert
says so, with writemostly for the hard disk's half; nothing is broken.
"""

from tests.panel import build

FIRST = ("md-mirror-reads-hard-disk layer:md0",)
NEVER = ("md-degraded", "array-on-one-disk")


def server(state="in_sync"):
    boot, fast, slow = build.nvme(0, build.PM9A3, vwc=6, cache="write through"), build.sata(0), build.hdd(1)
    halves = [fast.partition(1)[0], slow.partition(1)[0]]
    states = {f"md__dev-{name}__state": told for name, told in zip(halves, ("in_sync", state), strict=True)}
    return build.server(
        boot,
        fast,
        slow,
        layers=[build.md("md0", "9:0", "raid1", halves, **states)],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n",
    )
