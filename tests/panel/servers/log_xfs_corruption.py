"""An XFS that found damaged metadata; its disks are well: see to the backup, then xfs_repair -n."""

from tests.panel import build

FIRST = ("filesystem-errors-in-log filesystem:/dev/sda2",)
NEVER = ("disk-errors-in-log", "filesystem-shut-down")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    said = ("XFS (sda2): Metadata corruption detected at xfs_agf_read_verify+0x70/0x120 [xfs], xfs_agf block 0x1",)
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")], log=said)
