"""One iSCSI disk without multipath, with the 5 s that a multipath guide names: each restart of a switch ends in a
read-only ext4. The expert: raise the time-out, or add a path.
"""

from tests.panel import build

FIRST = ("network-disk-fails-soon disk:sda",)
NEVER = ("iscsi-path-given-up-late", "network-disk-without-netdev")


def server():
    path = build.hdd(0, "iSCSI Disk", queue__scheduler="[none] mq-deadline")
    path.made = (path.made[0], {"/sys/block/sda": f"../devices/{build.ISCSI}/block/sda"})
    path.commands = {}
    boot = build.sata(4, attributes=build.PROTECTED)
    return build.server(
        boot,
        path,
        mounts=[build.root(boot), build.Mount("/srv", *path.partition(1), "ext4", fstab="_netdev")],
        files={"/sys/class/iscsi_session/session1/recovery_tmo": "5"},
    )
