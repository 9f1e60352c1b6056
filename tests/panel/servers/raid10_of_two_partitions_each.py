"""RAID 10 over two partitions of each of two disks, with each pair on both: one disk may fail. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("array-on-one-disk",)


def server():
    boot, disks = build.nvme(0, build.PM9A3, vwc=6, cache="write through"), [build.hdd(at) for at in range(2)]
    parts = [disk.partition(number, start=number * 1_000_000_000)[0] for number in (1, 2) for disk in disks]
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid10", parts)],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
    )
