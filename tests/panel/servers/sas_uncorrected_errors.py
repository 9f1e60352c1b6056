"""A SAS disk with 7 errors that it could not correct: data is unreadable. Restore or resync them, then replace it."""

from tests.panel import build

FIRST = ("unreadable-data disk:sdb",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    counts = {"read": {"total_uncorrected_errors": 7}, "write": {"total_uncorrected_errors": 0}}
    disk = build.sas(1, scsi_error_counter_log=counts)
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
