"""openSUSE with a Btrfs RAID 1 root of two NVMe drives, one of them gone from the bus; the log of the other counts CRC
errors of the time before. The expert: one copy is left. Replace the device; no balance before, no scrub that writes.
"""

from tests.panel import build, pools

FIRST = ("btrfs-device-missing filesystem:/dev/nvme0n1",)
NEVER = ("btrfs-single-metadata", "btrfs-long-commit", "btrfs-quota-without-limits")


def server():
    disk = build.nvme(0, build.PM9A3)
    return build.server(
        disk,
        mounts=[pools.btrfs("/", [disk], missing=10**12, errors=3)],
        log=(
            "BTRFS error (device nvme0n1): bdev /dev/nvme1n1 errs: wr 412, rd 17, flush 1, corrupt 0, gen 0",
            "BTRFS warning (device nvme0n1): lost super block write due to IO error on /dev/nvme1n1 (-5)",
        ),
        kernel="6.4.0-150700.51-default",
    )
