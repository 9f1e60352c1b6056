"""PostgreSQL on a Btrfs of two mirrored PM9A3 with compress=zstd. The expert: nothing is lost here. He'd like a
filesystem that overwrites in place better, but of compressed files, each 128 KiB an extent, nobody counts what it
costs; and chattr +C would take the checksums of a mirror. Full-page writes stay on.
"""

from tests.machines import parts
from tests.panel import build, pools

FIRST = ()
NEVER = (
    "btrfs-copy-on-write-database",
    "postgresql-full-page-writes-off",
    "database-without-redundancy",
    "nobarrier-without-gain",
)
PLACE = "/var/lib/postgresql"


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    drives = [build.nvme(at, build.PM9A3, vwc=6, cache="write through", capacitors=100) for at in range(2)]
    data = pools.btrfs(PLACE, drives)
    data.inside = "rw,ssd,compress=zstd:3,discard=async,space_cache=v2,subvolid=5,subvol=/"
    compressed = parts.extents(40, 8192)
    compressed["files"][0]["encoded"] = 8192 * 40
    return build.server(
        boot,
        *drives,
        mounts=[build.root(boot), data],
        programs=[("postgres", f"{PLACE}/16/main")],
        files=build.postgresql(f"{PLACE}/16/main"),
        extents={f"{PLACE}/16/main": compressed},
        flags={f"{PLACE}/16/main": "0x0"},
    )
