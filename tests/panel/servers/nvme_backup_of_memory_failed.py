"""A PM9A3 below PostgreSQL whose critical warning has bit 4: the backup of its volatile memory failed. The expert: its
capacitors are gone; what it acknowledges is lost in a power cut. Replace it.
"""

from tests.panel import build

FIRST = ("power-loss-protection-failed disk:nvme0n1",)


def server():
    disk = build.nvme(0, build.PM9A3, 3840755982336, log={"critical_warning": 16})
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql")],
        files=build.postgresql("/var/lib/postgresql"),
    )
