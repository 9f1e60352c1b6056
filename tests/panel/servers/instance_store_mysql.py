"""MySQL on an EC2 instance store: a stop of the instance and the tables are gone."""

from tests.panel import build

FIRST = ("data-on-instance-store service:mysql /var/lib/mysql",)
NEVER = ("discards-never-sent", "commits-wait-for-drive")


def server():
    boot = build.nvme(0, build.EBS, 20 * build.GIB, vwc=0, cache="write through", firmware="1.0")
    disk = build.nvme(
        1, "Amazon EC2 NVMe Instance Storage", 474 * build.GIB, vwc=0, cache="write through", firmware="0"
    )
    files = {"/sys/class/dmi/id/sys_vendor": "Amazon EC2", "/sys/class/dmi/id/chassis_asset_tag": "Amazon EC2"}
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/mysql", "xfs")],
        programs=[("mysqld", "/var/lib/mysql")],
        vm="amazon",
        files=files,
    )  # fmt: skip
