"""The line of /srv in fstab has no type and no options: mount passes over it with a parse error, and after the next
boot programs write into the empty directory. The expert says which line, and `findmnt --verify`.
"""

from tests.panel import build

FIRST = ("fstab-line-ignored host",)
NEVER = ("fstab-device-missing",)


def server():
    disk = build.nvme(0, build.PM9A3, vwc=6, cache="write through")
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/srv")],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n"
        "UUID=5d1c6a2e-0000-4000-8000-000000000002 /srv\n",
    )
