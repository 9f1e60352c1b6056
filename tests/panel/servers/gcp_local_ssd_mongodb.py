"""MongoDB on a local SSD of Google's: a stop of the machine, or a live migration gone wrong, and it is empty."""

from tests.panel import build

FIRST = ("data-on-instance-store service:mongodb /var/lib/mongodb",)
NEVER = ("mongodb-on-ext4", "commits-wait-for-drive")


def server():
    boot = build.nvme(0, "nvme_card-pd", 50 * build.GIB, vwc=0, cache="write through")
    disk = build.nvme(1, "nvme_card0", 375 * build.GIB, vwc=0, cache="write through")
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/mongodb")],
        programs=[("mongod", "/var/lib/mongodb")],
        files={"/sys/class/dmi/id/sys_vendor": "Google", "/sys/class/dmi/id/product_name": "Google Compute Engine"},
        vm="google",
    )
