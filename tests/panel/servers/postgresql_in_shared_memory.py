"""PostgreSQL's data directory in /dev/shm, as somebody made the tests fast once: all of it is gone at the next reboot.
The expert says that before anything about the SSD that it is not on.
"""

from tests.panel import build

FIRST = ("database-in-memory service:postgresql /dev/shm/pg",)
NEVER = ("commits-wait-for-drive", "commits-not-flushed")


def server():
    disk = build.nvme(0, build.PM9A3, vwc=6, cache="write through")
    return build.server(
        disk,
        mounts=[build.root(disk), build.Mount("/dev/shm", "tmpfs", "0:26", "tmpfs", size=8 * build.GIB)],
        programs=[("postgres", "/dev/shm/pg")],
        files=build.postgresql("/dev/shm/pg"),
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n",
    )
