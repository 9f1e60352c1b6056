"""PostgreSQL on RAID 0 of gp3 volumes, as AWS itself advises: the volumes are replicated below. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("database-without-redundancy",)


def server():
    disks = [
        build.nvme(at, build.EBS, 500 * build.GIB, vwc=0, cache="write through", firmware="1.0") for at in range(3)
    ]
    files = {"/sys/class/dmi/id/sys_vendor": "Amazon EC2", "/sys/class/dmi/id/chassis_asset_tag": "Amazon EC2"}
    return build.server(
        *disks,
        layers=[build.md("md0", "9:0", "raid0", ["nvme1n1", "nvme2n1"])],
        mounts=[build.root(disks[0]), build.Mount("/var/lib/postgresql", "md0", "9:0", "xfs", options="rw,noatime")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=files | build.postgresql("/var/lib/postgresql/16/main"),
        vm="amazon",
    )
