"""A file server that exports with async: a crash loses what its clients were told is safe. Set sync."""

from tests.panel import build

FIRST = ("nfs-export-async mount:/srv/nfs",)
NEVER = ("nfs-commits-wait-for-drive",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv/nfs", "xfs")],
        files=build.nfs_server("/srv/nfs", "async"),
        exporting=True,
    )
