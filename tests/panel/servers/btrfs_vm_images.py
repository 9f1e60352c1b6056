"""qcow2 images on a Btrfs RAID 1, 30,000 extents a GiB: copy on write shreds them; XFS would not."""

from tests.machines import parts
from tests.panel import build, pools

FIRST = ("btrfs-copy-on-write-images service:libvirt /var/lib/libvirt/images",)
NEVER = ("access-times-written", "btrfs-autodefrag")


def server():
    disks = [build.sata(at, attributes=build.PROTECTED) for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        mounts=[build.root(boot), pools.btrfs("/var/lib/libvirt/images", disks)],
        programs=[("libvirtd", "/var/lib/libvirt/images")],
        extents={"/var/lib/libvirt/images": parts.extents(40, 30000)},
        flags={"/var/lib/libvirt/images": "0x0"},
    )
