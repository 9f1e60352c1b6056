"""A KVM host with two guests, cache=none on XFS and writeback on a volume of LVM. The expert: nothing. Both honour
the guests' flushes.
"""

from tests.panel import build

FIRST = ()
NEVER = ("vm-cache-unsafe", "btrfs-copy-on-write-images")


def server():
    drive = build.sata(attributes=build.PROTECTED)
    guest = {"pid": 4711, "name": "kvm", "cwd": "/", "paths": [], "settings": [], "here": True}
    made = build.server(drive, mounts=[build.root(drive), build.on(drive, "/var/lib/libvirt/images", "xfs")])
    made.running += [
        guest | {"images": [{"path": "/var/lib/libvirt/images/db.qcow2", "cache": "none"}]},
        guest | {"pid": 4712, "images": [{"path": "/dev/vg0/guest", "cache": "writeback"}]},
    ]
    return made
