"""RHEL 7, where XFS still takes nobarrier, on consumer SSDs below MySQL. The expert: barriers on, today."""

from tests.panel import build

FIRST = ("nobarrier-unproven filesystem:/dev/sdb2",)
NEVER = ("commits-wait-for-drive", "xfs-barrier-option")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, "Samsung SSD 860 EVO 1TB", 1000204886016)
    inside = "rw,attr2,nobarrier,inode64,noquota"
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/mysql", "xfs", inside=inside, fstab="nobarrier")],
        programs=[("mysqld", "/var/lib/mysql")],
        kernel="3.10.0-1160.119.1.el7.x86_64",
    )
