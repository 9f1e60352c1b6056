"""nobarrier on a consumer drive: the next power cut damages the filesystem."""

from tests.machines import parts
from tests.panel import build

FIRST = ("nobarrier-unproven filesystem:/dev/nvme0n1p2",)


def server():
    disk = build.nvme(0)
    return build.server(
        disk,
        mounts=[
            build.root(disk),
            build.on(
                disk,
                "/srv",
                inside="rw,nobarrier",
                files={
                    "/proc/fs/ext4/nvme0n1p2/options": "".join(
                        f"{it}\n" for it in parts.EXT4_OPTIONS.replace("barrier", "nobarrier", 1).split()
                    )
                },
            ),
        ],
    )
