"""Ubuntu in WSL 2: ext4 on a virtual disk of Hyper-V, Windows' drives by 9p. Nothing."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.azure(0, size=1024 * build.GIB)
    disk.made = (disk.made[0] | {"/sys/block/sda/queue/rotational": "1"}, disk.made[1])
    return build.server(
        disk,
        mounts=[
            build.Mount(
                "/",
                "sda",
                "8:0",
                options="rw,relatime",
                inside="rw,discard,errors=remount-ro,data=ordered",
                size=1007 * build.GIB,
                used=6,
            ),
            build.Mount(
                "/mnt/c",
                "drvfs",
                "0:55",
                "9p",
                options="rw,noatime",
                inside="rw,dirsync,aname=drvfs;path=C:\\,trans=fd,rfd=5,wfd=5",
                size=950 * build.GIB,
                used=97,
            ),
        ],
        fstab="# UNCONFIGURED FSTAB FOR BASE SYSTEM\n",
        vm="wsl",
        kernel="5.15.153.1-microsoft-standard-WSL2",
        memory=16,
    )
