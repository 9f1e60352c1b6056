"""A diskless blade: the firmware logs in to one iSCSI LUN and boots from it; the initramfs knows the session before any
fstab is read. replacement_timeout is a day, as for a root must be. Nothing to say.
"""

from tests.panel import build

FIRST = ()
NEVER = ("network-disk-without-netdev", "network-disk-fails-soon", "iscsi-path-given-up-late", "paths-not-joined")


def server():
    disk = build.hdd(0, "iSCSI Disk", 200 * build.GIB, queue__scheduler="[none] mq-deadline")
    disk.made = (disk.made[0], {"/sys/block/sda": f"../devices/{build.ISCSI}/block/sda"})
    disk.commands = {}
    return build.server(
        disk,
        mounts=[build.root(disk)],
        files={"/sys/class/iscsi_session/session1/recovery_tmo": "86400",
               "/sys/class/iscsi_session/session1/state": "LOGGED_IN",
               "/proc/cmdline": "root=UUID=1 ro ip=ibft rd.iscsi.firmware=1"},
    )  # fmt: skip
