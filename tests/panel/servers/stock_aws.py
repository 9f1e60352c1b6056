"""An Ubuntu instance on AWS with a gp3 root and a gp3 volume for data. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disks = [
        build.nvme(0, build.EBS, 100 * build.GIB, vwc=0, cache="write through", firmware="1.0"),
        build.nvme(1, build.EBS, 500 * build.GIB, vwc=0, cache="write through", firmware="1.0"),
    ]
    files = {
        "/sys/class/dmi/id/sys_vendor": "Amazon EC2",
        "/sys/class/dmi/id/product_name": "m6i.xlarge",
        "/sys/class/dmi/id/chassis_asset_tag": "Amazon EC2",
    }
    return build.server(
        *disks,
        mounts=[
            build.root(disks[0], inside="rw,discard,errors=remount-ro,commit=30"),
            build.on(disks[1], "/srv", "xfs"),
        ],
        vm="amazon",
        files=files,
        kernel="6.8.0-1021-aws",
    )
