"""A node of Galera with innodb_flush_log_at_trx_commit=2 and capacitors: three nodes have each commit. Nothing."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.nvme(0, build.PM9A3)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/mysql", "xfs")],
        programs=[("mariadbd", "/var/lib/mysql", {"innodb_flush_log_at_trx_commit": "2", "wsrep_on": "ON"}.items())],
    )
