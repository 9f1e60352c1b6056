"""A KVM host whose guest with a database runs with cache=unsafe. The expert: that guest loses its database at a
power cut; nothing else matters before that.
"""

from tests.panel import build

FIRST = ("vm-cache-unsafe service:qemu /var/lib/libvirt/images",)


def server():
    drive = build.sata(attributes=build.PROTECTED)
    images = [{"path": "/var/lib/libvirt/images/db.qcow2", "cache": "unsafe"},
              {"path": "/var/lib/libvirt/images/web.qcow2", "cache": "none"}]  # fmt: skip
    guest = {"pid": 4711, "name": "qemu-system-x86", "cwd": "/", "paths": [], "settings": [], "here": True}
    made = build.server(drive, mounts=[build.root(drive), build.on(drive, "/var/lib/libvirt/images", "xfs")])
    made.running.append(guest | {"images": images})
    return made
