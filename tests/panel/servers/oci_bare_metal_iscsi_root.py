"""Bare metal in Oracle's cloud: its boot volume is iSCSI, with the time-out that the image sets. Nothing."""

from tests.panel import build

FIRST = ()
NEVER = ("network-disk-fails-soon", "network-disk-without-netdev", "paths-not-joined")


def server():
    disk = build.sata(0, "BlockVolume", 100 * build.GIB, device__vendor="ORACLE  ")
    disk.made = (disk.made[0], {"/sys/block/sda": f"../devices/{build.ISCSI}/block/sda"})
    disk.commands = {}
    return build.server(
        disk,
        mounts=[build.root(disk)],
        files={
            "/sys/class/iscsi_session/session1/recovery_tmo": "6000",
            "/sys/class/iscsi_session/session1/state": "LOGGED_IN",
            "/sys/class/dmi/id/chassis_asset_tag": "OracleCloud.com",
        },
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 defaults,_netdev,_netdev 0 0\n",
    )
