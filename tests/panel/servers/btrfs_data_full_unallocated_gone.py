"""A Btrfs at 88 %, all of it allocated: the next metadata chunk has no place. Balance nearly empty groups."""

from tests.panel import build, pools

FIRST = ("btrfs-nothing-to-allocate filesystem:/dev/sdb",)
NEVER = ("nearly-full", "filling-up", "ext4-inodes-nearly-gone")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)
    full = pools.btrfs(
        "/srv", [disk], "single", data=10**12, data_used=88 * 10**10, metadata=10**10, metadata_used=6 * 10**9,
        unallocated=10**6, used=88,
    )  # fmt: skip
    return build.server(boot, disk, mounts=[build.root(boot), full])
