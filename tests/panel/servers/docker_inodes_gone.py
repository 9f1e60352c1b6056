"""A build host: /var/lib/docker on ext4 has half of its space free and no inodes left. The expert: prune images and
build caches; ext4 cannot get more inodes. Free space is not the trouble.
"""

from tests.panel import build

FIRST = ("ext4-inodes-nearly-gone filesystem:/dev/sda2",)
NEVER = ("nearly-full", "filling-up", "ext4-large-reserve")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/docker", used=50, inodes=100)],
        programs=[("dockerd", "/var/lib/docker")],
    )
