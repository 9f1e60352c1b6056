"""An NVMe drive with 4,812 error log entries: commands that tools sent and it does not know. Nothing."""

from tests.panel import build

FIRST = ()
NEVER = ("drive-failing", "unreadable-data")


def server():
    disk = build.nvme(0, build.PM9A3, log={"num_err_log_entries": 4812, "unsafe_shutdowns": 212})
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
