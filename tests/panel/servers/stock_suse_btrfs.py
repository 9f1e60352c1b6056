"""A SUSE guest, as its installer leaves it: root on Btrfs with snapshots. Nothing to say."""

from tests.panel import build, pools

FIRST = ()


def server():
    disk = build.virtio(0, 100 * build.GIB)
    return build.server(
        disk,
        mounts=[pools.btrfs("/", [disk], "single", metadata_profile="dup", used=30)],
        vm="kvm",
        kernel="6.4.0-150600-default",
    )
