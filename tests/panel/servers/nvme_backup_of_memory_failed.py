"""A PM9A3 below PostgreSQL whose critical warning has bit 4: the backup of its volatile memory failed; smartctl calls
that FAILED. The expert says one thing: its capacitors are gone, and what it acknowledges is lost in a power cut.
"""

from tests.panel import build

FIRST = ("power-loss-protection-failed disk:nvme0n1",)
NEVER = ("drive-failing",)


def server():
    disk = build.nvme(0, build.PM9A3, 3840755982336, log={"critical_warning": 16})
    build.said(disk, smart_status={"passed": False})
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql")],
        files=build.postgresql("/var/lib/postgresql"),
    )
