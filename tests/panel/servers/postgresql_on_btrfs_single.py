"""PostgreSQL on a Btrfs of two drives, made with `-d single`: metadata is mirrored, the database is not. The first
drive that fails takes it; convert the data to raid1.
"""

from tests.panel import build, pools

FIRST = ("database-without-redundancy service:postgresql /var/lib/postgresql/16/main",)
NEVER = ("copies-on-one-disk",)
PLACE = "/var/lib/postgresql"


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    drives = [build.nvme(at, build.PM9A3, vwc=6, cache="write through", capacitors=100) for at in range(2)]
    return build.server(
        boot,
        *drives,
        mounts=[build.root(boot), pools.btrfs(PLACE, drives, "single", metadata_profile="raid1")],
        programs=[("postgres", f"{PLACE}/16/main")],
        files=build.postgresql(f"{PLACE}/16/main"),
    )
