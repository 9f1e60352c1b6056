"""A Synology with two of its four bays filled: its system mirrors md0 and md1 have a slot for each bay, the data array
is whole. The expert: that is how the maker ships it. Nothing.
"""

from tests.panel import build

FIRST = ()
NEVER = ("md-degraded", "md-without-spare")


def server():
    disks = [build.hdd(at, "ST8000VN0022-2EL112") for at in range(2)]
    arrays = [
        build.system_mirror("md0", "9:0", [it.partition(1)[0] for it in disks], 4, md__metadata_version="0.90"),
        build.system_mirror("md1", "9:1", [it.partition(2, start=4982528)[0] for it in disks], 4),
        build.md("md2", "9:2", "raid1", [it.partition(5, start=9453280)[0] for it in disks]),
    ]
    return build.server(
        *disks,
        layers=arrays,
        mounts=[
            build.Mount("/", "md0", "9:0", size=2 * build.GIB, used=60),
            build.Mount("/volume1", "md2", "9:2", size=7000 * build.GIB),
        ],
        kernel="4.4.302+",
        fstab="/dev/root / ext4 defaults 1 1\n",
        files={"/proc/sys/kernel/syno_hw_version": "DS918+"},
    )
