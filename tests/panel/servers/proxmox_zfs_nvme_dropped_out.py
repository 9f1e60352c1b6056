"""Proxmox on a ZFS mirror of two SN850X; the controller of one went down and does not come back (power saving of a
consumer drive). The expert: one copy left. Reseat or replace, resilver; the advice on flushes waits.
"""

from tests.panel import build, pools

FIRST = ("zfs-pool-not-online filesystem:zfs at /",)
NEVER = ("zfs-sync-disabled", "zfs-autotrim-off", "zfs-small-ashift")


def server():
    disks = [build.nvme(at, "WD_BLACK SN850X 2000GB", flush_ms=3) for at in (0, 1)]
    for disk in disks:
        disk.partition(3, start=2099200)
    status = pools.zpool_status(
        "rpool", "mirror", ("/dev/nvme0n1p3",), ("/dev/nvme1n1p3", 3, 181, 0, "too many errors"), state="DEGRADED"
    ).replace("/dev/nvme1n1p3  ONLINE", "/dev/nvme1n1p3  FAULTED")
    root = "rpool/ROOT/pve-1"
    made = build.server(
        *disks,
        mounts=[build.Mount("/", root, "0:26", "zfs", inside="rw,xattr,posixacl", options="rw,relatime", used=40)],
        commands=pools.zpool(
            ("rpool", 12, "DEGRADED", 40, 12), datasets=[("rpool", {}), (root, {})], status=status, autotrim="on"
        ),
        files=pools.ZFS_FILES,
        programs=[("pmxcfs", "/")],
        kernel="6.8.12-4-pve",
        log=("nvme nvme1: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10",
             "nvme nvme1: Disabling device after reset failure: -19"),
    )  # fmt: skip
    made.files |= {"/sys/block/nvme1n1/size": "0", "/sys/block/nvme1n1/device/state": "dead"}
    made.commands = {asked: it for asked, it in made.commands.items() if "/dev/nvme1n1" not in asked}
    made.running.append(build.guest(*((f"/dev/zvol/rpool/data/vm-{at}-disk-0", "none") for at in (100, 101))))
    return made
