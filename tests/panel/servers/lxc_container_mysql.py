"""MySQL in a container of Proxmox on a ZFS subvolume; the host's tools are not there. Nothing that it can see."""

from tests.panel import build

FIRST = ()
NEVER = ("zfs-sync-writes-without-log", "database-on-overlay")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    root = build.Mount(
        "/", "rpool/data/subvol-101-disk-0", "0:58", "zfs", inside="rw,xattr,posixacl", options="rw,noatime", used=30
    )
    made = build.server(
        disk,
        mounts=[root],
        programs=[("mysqld", "/var/lib/mysql")],
        fstab="# UNCONFIGURED FSTAB FOR BASE SYSTEM\n",
        kernel="6.8.12-4-pve",
    )
    made.commands["systemd-detect-virt --container"] = "lxc\n"
    made.commands["systemd-detect-virt --vm"] = "none\n"
    return made
