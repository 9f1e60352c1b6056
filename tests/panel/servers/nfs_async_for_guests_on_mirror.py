"""A mirror of two SSDs exported with async, for other machines' guests. The expert: a crash loses what the guests were
told is safe; set sync. The mirror doesn't help against that.
"""

from tests.panel import build

FIRST = ("nfs-export-async mount:/srv/vm",)
NEVER = ("nfs-commits-wait-for-drive", "md-degraded", "database-without-redundancy")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.sata(at, attributes=build.PROTECTED) for at in (1, 2)]
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid1", ["sdb", "sdc"])],
        mounts=[build.root(boot), build.Mount("/srv/vm", "md0", "9:0", "xfs")],
        files=build.nfs_server("/srv/vm", "async"),
        exporting=True,
    )
