"""An unmodified Ubuntu 24.04 cloud image on KVM (discard, commit=30 in its fstab). Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("ext4-long-commit", "ext4-online-discard")


def server():
    disk = build.virtio()
    return build.server(
        disk,
        mounts=[build.root(disk, options="rw,relatime", inside="rw,discard,errors=remount-ro,commit=30")],
        vm="kvm",
        fstab="LABEL=cloudimg-rootfs / ext4 discard,commit=30,errors=remount-ro 0 1\n",
    )
