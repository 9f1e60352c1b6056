"""An NVMe drive with 12 media errors, all else well: something could not be read back. Scrub, watch, replace."""

from tests.panel import build

FIRST = ("unreadable-data disk:nvme0n1",)
NEVER = ("commits-wait-for-drive",)


def server():
    disk = build.nvme(0, flush_ms=1.6, log={"media_errors": 12})
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main"),
    )
