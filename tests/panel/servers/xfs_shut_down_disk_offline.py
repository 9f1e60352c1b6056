"""An XFS shut itself down because its disk went offline. The expert: the disk; xfs_repair is not what it needs now."""

from tests.panel import build
from tests.panel.servers import xfs_shut_down as alone

FIRST = ("disk-offline disk:sdb",)
BESIDE = ("filesystem-shut-down filesystem:/dev/sdb2",)
NEVER = ("filesystem-shut-down",)


def server():
    made = alone.server()
    made.files["/sys/block/sdb/device/state"] = "offline"
    told = ("ata2.00: disable device", "XFS (sdb2): log I/O error -5")
    made.commands["dmesg"] = build.server(mounts=[], log=told).commands["dmesg"]
    return made
