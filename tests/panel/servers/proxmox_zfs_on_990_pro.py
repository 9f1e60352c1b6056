"""Proxmox: ZFS mirror of two 990 PRO for all, three guests on zvols, 3 ms a flush. The expert: each commit of each
guest waits for flash without PLP; buy drives that have it. Never sync=disabled. pmxcfs itself does not wait (WAL,
NORMAL).
"""

from tests.panel import build, pools

FIRST = ("zfs-guests-wait-for-drive filesystem:zfs at /",)
NEVER = ("zfs-sync-disabled", "zfs-guests-without-log", "zfs-autotrim-off", "commits-wait-for-drive")


def server():
    disks = [build.nvme(at, flush_ms=3) for at in (0, 1)]
    for disk in disks:
        disk.partition(3, start=2099200)
    status = pools.zpool_status("rpool", "mirror", ("/dev/nvme0n1p3",), ("/dev/nvme1n1p3",))
    root = "rpool/ROOT/pve-1"
    made = build.server(
        *disks,
        mounts=[build.Mount("/", root, "0:26", "zfs", inside="rw,xattr,posixacl", options="rw,relatime", used=40)],
        commands=pools.zpool(
            ("rpool", 12, "ONLINE", 40, 12), datasets=[("rpool", {}), (root, {})], status=status, autotrim="on"
        ),
        files=pools.ZFS_FILES,
        programs=[("pmxcfs", "/")],
        kernel="6.8.12-4-pve",
    )
    disks_of_guests = [(f"/dev/zvol/rpool/data/vm-{at}-disk-0", "none") for at in (100, 101, 102)]
    made.running.append(build.guest(*disks_of_guests))
    return made
