"""MySQL on a 990 PRO that has used 99 % of its endurance; spare at 100 %, no media errors, 1 ms a flush. The expert:
order its successor; it hasn't failed, and nothing is lost today.
"""

from tests.panel import build

FIRST = ("drive-nearly-worn-out disk:nvme0n1",)
NEVER = ("drive-failing", "drive-worn-out", "unreadable-data", "power-loss-protection-failed")


def server():
    disk = build.nvme(0, flush_ms=1, log={"percent_used": 99})
    return build.server(
        disk, mounts=[build.root(disk), build.on(disk, "/var/lib/mysql")], programs=[("mysqld", "/var/lib/mysql")]
    )
