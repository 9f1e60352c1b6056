"""An instance whose 8 GiB root is at 97 %: logs and package caches go, or the volume grows. Nothing else."""

from tests.panel import build

FIRST = ("nearly-full filesystem:/dev/nvme0n1p1",)
NEVER = ("ext4-long-commit", "ext4-online-discard")


def server():
    disk = build.nvme(0, build.EBS, 8 * build.GIB, vwc=0, cache="write through", firmware="1.0")
    files = {"/sys/class/dmi/id/sys_vendor": "Amazon EC2", "/sys/class/dmi/id/chassis_asset_tag": "Amazon EC2"}
    as_ubuntu_has_it = "rw,discard,errors=remount-ro,commit=30"
    mount = build.Mount("/", *disk.partition(1, 8 * build.GIB), inside=as_ubuntu_has_it, size=8 * build.GIB, used=97)
    return build.server(disk, mounts=[mount], vm="amazon", files=files, memory=4, kernel="6.8.0-1021-aws")
