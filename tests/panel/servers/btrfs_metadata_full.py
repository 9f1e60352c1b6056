"""A Btrfs half full that refuses every new file: metadata has nowhere to grow."""

from tests.panel import build, pools

FIRST = ("btrfs-nothing-to-allocate filesystem:/dev/sdb",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)
    return build.server(
        boot,
        disk,
        mounts=[
            build.root(boot),
            pools.btrfs(
                "/srv",
                [disk],
                "single",
                data=10**12,
                data_used=5 * 10**11,
                metadata=10**9,
                metadata_used=95 * 10**7,
                unallocated=10**6,
                used=50,
            ),
        ],
    )
