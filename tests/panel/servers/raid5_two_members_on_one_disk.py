"""RAID 5 of four partitions, two of which are on sda: mdstat shows [UUUU], and losing sda loses the array. The expert
says that first: a drive more, and `mdadm --replace` one of the two members onto it. Of RAID 6 he would not.
"""

from tests.panel import build

FIRST = ("array-lost-with-one-disk layer:md0",)
NEVER = ("array-on-one-disk", "md-degraded")


def server(level="raid5", spares=(), **more):
    boot, disks = build.nvme(0, build.PM9A3, vwc=6, cache="write through"), [build.hdd(at) for at in range(3)]
    members = [disk.partition(1)[0] for disk in disks] + [disks[0].partition(2, start=1_000_000_000)[0]]
    told = {f"md__dev-{it}__state": "spare" if it in spares else "in_sync" for it in members}
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", level, members, **told | more)],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n",
    )
