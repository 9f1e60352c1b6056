"""A Ceph OSD of BlueStore: its directory is a tmpfs, and the link `block` leads to an LVM volume on a 990 PRO at 3 ms a
flush. Each write of a client waits for that. The expert: drives with PLP; the small tmpfs is as it should be.
"""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:ceph-osd /var/lib/ceph/osd/ceph-0",)
NEVER = ("database-in-memory",)


def server():
    boot, drive = build.sata(attributes=build.PROTECTED), build.nvme(flush_ms=3)
    place = "/var/lib/ceph/osd/ceph-0"
    made = build.server(
        boot,
        drive,
        layers=[build.volume("dm-0", "253:0", ["nvme0n1"], "ceph--x-osd--block--y")],
        mounts=[build.root(boot), build.Mount(place, "tmpfs", "0:44", "tmpfs", fstab="defaults")],
        programs=[("ceph-osd", place)],
        commands={"dmsetup table": "ceph--x-osd--block--y: 0 838860800 linear 259:0 2048\n"},
    )
    made.links[f"{place}/block"] = "/dev/ceph-x/osd-block-y"
    return made
