"""An Ubuntu server with its snaps: read-only images that are always at 100 %, as they should be. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("nearly-full",)


def server():
    disk = build.virtio(0)
    snaps = [
        build.Mount(f"/snap/core/{at}", f"loop{at}", f"7:{at}", "squashfs", options="ro,nodev,relatime", inside="ro",
                    used=100, inodes=100, size=build.GIB // 16)
        for at in (1, 2)
    ]  # fmt: skip
    images = [build.loop(f"loop{at}", f"7:{at}", f"/var/lib/snapd/snaps/core_{at}.snap") for at in (1, 2)]
    return build.server(
        disk,
        layers=images,
        mounts=[build.root(disk), *snaps],
        vm="kvm",
        fstab="/dev/vda1 / ext4 errors=remount-ro 0 1\n",
    )
