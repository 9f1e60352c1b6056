"""A VMware guest, root on LVM over a virtual disk, /var 87 % of 40 GiB, all else as installed. Nothing to say: small
filesystems at 87 % are everyday, and the hypervisor's disk tells nothing of drives.
"""

from tests.panel import build

FIRST = ()
NEVER = ("above-85-percent", "commits-wait-for-drive", "flushes-without-protection")


def server():
    disk = build.sata(0, "Virtual disk", 64 * build.GIB, device__vendor="VMware  ")
    disk.commands = {}
    return build.server(
        disk,
        layers=[build.volume("dm-0", "253:0", ["sda"], "rl-var")],
        mounts=[build.root(disk), build.Mount("/var", "dm-0", "253:0", "xfs", used=87, size=40 * build.GIB)],
        commands={"dmsetup table": "rl-var: 0 83886080 linear 8:0 2048\n"} | build.lvs({"lv_name": "var"}),
        vm="vmware",
    )
