"""MongoDB on a 990 PRO, 2.1 ms a flush, on ext4: the drive first; its makers' word on ext4 is a footnote."""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:mongodb /var/lib/mongodb",)
NEVER = ("mongodb-on-ext4", "access-times-written")


def server():
    disk = build.nvme(0, flush_ms=2.1)
    return build.server(
        disk, mounts=[build.root(disk), build.on(disk, "/var/lib/mongodb")], programs=[("mongod", "/var/lib/mongodb")]
    )
