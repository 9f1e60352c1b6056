"""A disk that is used for swap alone fails its health test. The expert: swapoff first, then replace; a page that can't
be read kills a program, or the machine.
"""

from tests.panel import build

FIRST = ("drive-failing disk:sdb",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1, passed=False)
    disk.partition(1, 64 * build.GIB)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot)],
        fstab="LABEL=root / ext4 errors=remount-ro 0 1\n/dev/disk/by-label/swap none swap sw 0 0\n",
        files={"/proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n/dev/sdb1 partition 67108860 1240 -2\n"},
    )
