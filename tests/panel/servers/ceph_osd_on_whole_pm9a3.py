"""The same OSD on a whole PM9A3 with its capacitors: nothing to say."""

from tests.panel import build
from tests.panel.servers import ceph_osd_on_whole_disk

FIRST = ()
NEVER = ("commits-wait-for-drive", "database-in-memory")


def server():
    drive = build.nvme(model=build.PM9A3, size=3840755982336, capacitors=100, cache="write through")
    return ceph_osd_on_whole_disk.server(drive)
