"""PostgreSQL on a Persistent Disk of GCP as its NVMe names it, with nothing wrong: the cloud's limits are not the
drive's. Nothing to say, above all nothing of power-loss protection.
"""

from tests.panel import build

FIRST = ()
NEVER = ("commits-wait-for-drive", "data-on-instance-store", "flushes-on-protected-nvme")


def server():
    disk = build.nvme(0, "nvme_card-pd", 500 * build.GIB, vwc=0, cache="write through")
    return build.server(
        disk,
        mounts=[build.root(disk)],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main") | {"/sys/class/dmi/id/sys_vendor": "Google"},
        vm="google",
    )
