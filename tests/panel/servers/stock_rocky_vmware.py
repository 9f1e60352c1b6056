"""Rocky 9 on VMware with its LVM of XFS, open-vm-tools, thin disk. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.sata(
        0, "Virtual disk", 100 * build.GIB, device__vendor="VMware  ", queue__rotational="1",
        **{"device__scsi_disk__0:0:0:0__cache_type": "write through"}, cache="write through",
    )  # fmt: skip
    disk.commands = {}
    pv, _ = disk.partition(3, 98 * build.GIB)
    return build.server(
        disk,
        layers=[build.volume("dm-0", "253:0", [pv], "rl-root")],
        mounts=[build.Mount("/boot", *disk.partition(2, build.GIB), "xfs"), build.Mount("/", "dm-0", "253:0", "xfs")],
        commands=build.lvs({"vg_name": "rl", "lv_name": "root", "lv_dm_path": "/dev/mapper/rl-root"})
        | {"dmsetup table": "rl-root: 0 838860800 linear 8:3 2048\n"},
        vm="vmware",
        kernel="5.14.0-570.el9.x86_64",
    )
