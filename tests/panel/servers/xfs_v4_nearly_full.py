"""A file server from CentOS 7's first days: XFS of format 4, 97 % full. The expert: make room now. The old format
mounts at each boot of this release; plan the new one before RHEL 10.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("nearly-full filesystem:/dev/sdb2", "xfs-old-format filesystem:/dev/sdb2")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    old = parts.xfs_answers("/srv", "/dev/sdb2", crc__1="crc=0")
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv", "xfs", used=97, commands=old)],
        kernel="3.10.0-1160.119.1.el7.x86_64",
    )
