"""A Ceph OSD on a hard disk, its `block.db` on a PM9A3. Commits wait for the log, which lies there: the expert says
nothing of flushes, though the disk takes 12 ms for one. Another OSD's directory is on the root filesystem, and its
link leads to what is not followed: its drive is not known, and is not the root's, which takes 9 ms.
"""

from tests.panel import build

FIRST = ()
NEVER = ("commits-wait-for-drive",)


def server():
    boot, disk = build.sata(model=build.HDD, spins=1, flush_ms=9), build.sata(1, build.HDD, spins=1, flush_ms=12)
    log = build.nvme(model=build.PM9A3)
    with_log, whole = "/var/lib/ceph/osd/ceph-0", "/var/lib/ceph/osd/ceph-1"
    made = build.server(
        boot,
        disk,
        log,
        layers=[
            build.volume("dm-0", "253:0", ["sdb"], "ceph--x-osd--block--y"),
            build.volume("dm-1", "253:1", ["nvme0n1"], "ceph--z-osd--db--y"),
        ],
        mounts=[build.root(boot), build.Mount(with_log, "tmpfs", "0:44", "tmpfs", fstab="defaults")],
        programs=[("ceph-osd", with_log), ("ceph-osd", whole)],
        commands={
            "dmsetup table": "ceph--x-osd--block--y: 0 838860800 linear 8:16 2048\n"
            "ceph--z-osd--db--y: 0 83886080 linear 259:0 2048\n"
        },
    )
    made.links[f"{with_log}/block"] = "/dev/ceph-x/osd-block-y"
    made.links[f"{with_log}/block.db"] = "/dev/ceph-z/osd-db-y"
    made.links[f"{whole}/block"] = "/dev/disk/by-partuuid/00000000-0000-4000-8000-000000000001"
    return made
