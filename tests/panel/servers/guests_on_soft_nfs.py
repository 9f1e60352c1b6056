"""A Proxmox node whose guests' images lie on NFS mounted soft: a filer away for a minute is a broken disk in each."""

from tests.panel import build

FIRST = ("database-on-soft-nfs service:qemu /mnt/pve/filer/images/100",)
NEVER = ("database-on-network-filesystem", "fstab-device-missing")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    share = build.Mount(
        "/mnt/pve/filer", "filer:/vm", "0:62", "nfs4", inside="rw,vers=4.2,soft,timeo=50,proto=tcp", fstab="soft"
    )
    images = [{"path": "/mnt/pve/filer/images/100/vm-100-disk-0.qcow2", "cache": "none"}]
    guest = {"pid": 4711, "name": "kvm", "cwd": "/", "paths": [], "settings": [], "here": True}
    made = build.server(disk, mounts=[build.root(disk), share])
    made.running.append(guest | {"images": images})
    for path in ("/proc/self/mountinfo", "/etc/fstab"):
        made.files[path] = made.files[path].replace("/dev/filer:", "filer:")
    return made
