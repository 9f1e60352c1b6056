"""A sync export on a consumer SSD with 4.2 ms a flush: a drive with protection, and never async."""

from tests.panel import build

FIRST = ()
BESIDE = ("nfs-commits-wait-for-drive mount:/srv/nfs",)
NEVER = ("nfs-export-async",)


def server():
    boot, disk = (
        build.sata(0, attributes=build.PROTECTED),
        build.sata(1, "Samsung SSD 870 EVO 1TB", 10**12, flush_ms=4.2),
    )
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv/nfs", "xfs")],
        files=build.nfs_server("/srv/nfs"),
        exporting=True,
    )
