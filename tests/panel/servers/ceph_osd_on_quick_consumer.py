"""An OSD of BlueStore straight on a 990 PRO, 0.4 ms a flush, a third of its endurance written. The expert: nothing is
slow, nothing is worn; Ceph keeps the copies. He'd mention that it has no PLP, no more.
"""

from tests.panel import build

FIRST = ()
NEVER = ("flushes-on-protected-nvme", "database-without-redundancy", "filesystem-type-to-choose", "drive-worn-out")


def server():
    boot, drive = build.sata(attributes=build.PROTECTED), build.nvme(flush_ms=0.4, log={"percent_used": 33})
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
