"""A KVM host: guests on volumes of LVM on a 990 PRO whose flush takes 3 ms, one with cache=unsafe. The expert: that one
loses its data at a power cut; then a drive with PLP for the other. An image on the system's drive is no trouble.
"""

from tests.panel import build

FIRST = ("vm-cache-unsafe service:qemu /dev/vg0/scratch",)
BESIDE = ("guests-wait-for-drive service:qemu /dev/vg0/db",)
NEVER = ("commits-wait-for-drive",)


def server():
    boot, drive = build.sata(attributes=build.PROTECTED), build.nvme(flush_ms=3)
    made = build.server(
        boot,
        drive,
        layers=[
            build.volume("dm-0", "253:0", ["nvme0n1"], "vg0-db"),
            build.volume("dm-1", "253:1", ["nvme0n1"], "vg0-scratch"),
        ],
        mounts=[build.root(boot)],
        commands={
            "dmsetup table": "vg0-db: 0 838860800 linear 259:0 2048\nvg0-scratch: 0 83886080 linear 259:0 838862848\n"
        },
    )
    files, disks = "/var/lib/libvirt/images/web.qcow2", (("/dev/vg0/db", "none"), ("/dev/vg0/scratch", "unsafe"))
    made.running.append(build.guest((files, "none"), *disks))
    return made
