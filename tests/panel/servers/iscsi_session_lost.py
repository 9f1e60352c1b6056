"""PostgreSQL on an iSCSI disk whose session was lost two minutes ago. The expert: the network or the target, no word of
surfaces and cables of disks.
"""

from tests.panel import build
from tests.panel.servers import iscsi_single_path_default as whole

FIRST = ("disk-offline disk:sda",)
NEVER = ("disk-errors-in-log", "drive-failing", "filesystem-errors-in-log")


def server():
    made = whole.server()
    made.files["/sys/class/iscsi_session/session1/state"] = "FAILED"
    made.files["/sys/block/sda/device/state"] = "transport-offline"
    told = (
        "session1: session recovery timed out after 120 secs",
        "sd 2:0:0:0: rejecting I/O to offline device",
        "I/O error, dev sda, sector 264192 op 0x1:(WRITE) flags 0x3800 phys_seg 1 prio class 2",
        "EXT4-fs (sda1): Remounting filesystem read-only",
    )
    made.commands["dmesg"] = build.server(mounts=[], log=told).commands["dmesg"]
    return made
