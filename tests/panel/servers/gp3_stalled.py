"""EBS volumes, tasks stalled with much dirty: the volume writes 125 MB/s, not 1000."""

from tests.panel import build

FIRST = ("long-writeback host",)


def server():
    disk = build.nvme(0, build.EBS, 500 * build.GIB, vwc=0, cache="write through", firmware="1.0")
    files = {"/sys/class/dmi/id/sys_vendor": "Amazon EC2", "/sys/class/dmi/id/chassis_asset_tag": "Amazon EC2"}
    return build.server(
        disk, mounts=[build.root(disk)], vm="amazon", files=files, stalled=True, dirty_mib=9000, memory=128
    )
