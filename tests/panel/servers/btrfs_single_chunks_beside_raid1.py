"""A Btrfs RAID 1 that was written to while one device was away: 35 GiB of data are single. The expert: finish the
convert with soft, or those files go with one disk.
"""

from tests.panel import build, pools

FIRST = ("btrfs-mixed-profiles filesystem:/dev/sdb",)
NEVER = ("btrfs-single-metadata", "btrfs-parity-data", "btrfs-device-missing")


def server():
    boot, disks = build.sata(0, attributes=build.PROTECTED), [build.hdd(at) for at in (1, 2)]
    data = pools.btrfs("/srv", disks)
    for asked, said in data.commands.items():
        if "usage" in asked:
            data.commands[asked] = said.replace(
                "\nMetadata,",
                "\nData,single: Size:37580963840, Used:37558943744 (99.94%)\n   /dev/sdb\t37580963840\n\nMetadata,",
                1,
            )
    return build.server(boot, *disks, mounts=[build.root(boot), data])
