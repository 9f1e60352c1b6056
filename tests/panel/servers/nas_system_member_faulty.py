"""The QNAP again, and a disk of it failed: faulty in the system mirror, gone from the RAID 6. The expert: replace that
disk; the data array first.
"""

from tests.panel.servers import qnap_spare_slots as whole

FIRST = ("md-degraded layer:md1",)


def server():
    made = whole.server()
    made.files["/sys/block/md9/md/dev-sdf1/state"] = "faulty"
    made.files["/sys/block/md9/md/degraded"] = "27"
    made.files["/sys/block/md1/md/degraded"] = "1"
    made.files["/sys/block/md1/md/raid_disks"] = "6"
    return made
