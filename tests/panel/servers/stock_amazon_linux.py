"""Amazon Linux 2023: XFS root on gp3 with noatime, as Amazon makes it. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.nvme(0, build.EBS, 8 * build.GIB, vwc=0, cache="write through", firmware="1.0")
    files = {"/sys/class/dmi/id/sys_vendor": "Amazon EC2", "/sys/class/dmi/id/chassis_asset_tag": "Amazon EC2"}
    return build.server(
        disk,
        mounts=[build.Mount("/", *disk.partition(1, 8 * build.GIB), "xfs", options="rw,noatime", size=8 * build.GIB)],
        vm="amazon",
        files=files,
        memory=4,
        kernel="6.1.140-154.222.amzn2023.x86_64",
    )
