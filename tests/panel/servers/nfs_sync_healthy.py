"""A file server that exports with sync from a drive with capacitors, as it should. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("nfs-export-async", "nfs-commits-wait-for-drive")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED, flush_ms=0.06)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv/nfs", "xfs")],
        files=build.nfs_server("/srv/nfs"),
        exporting=True,
    )
