"""MySQL on two Local SSDs of GCP in md RAID 0: fast, and gone when the machine stops. First move it, or replicate."""

from tests.panel import build

FIRST = ("data-on-instance-store service:mysql /var/lib/mysql",)
NEVER = ("hard-disk-type-below-database", "cloud-disk-near-its-limit")


def server():
    boot = build.sata(0, "PersistentDisk", 20 * build.GIB, device__vendor="Google  ")
    local = [build.nvme(at, f"nvme_card{at}", 375 * build.GIB, vwc=0, cache="write through") for at in (0, 1)]
    array = build.md("md0", "9:0", "raid0", [it.name for it in local])
    return build.server(
        boot,
        *local,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/var/lib/mysql", "md0", "9:0", "xfs")],
        programs=[("mysqld", "/var/lib/mysql")],
        files={"/sys/class/dmi/id/sys_vendor": "Google", "/sys/class/dmi/id/product_name": "Google Compute Engine"},
        vm="google",
        kernel="6.8.0-1021-gcp",
    )
