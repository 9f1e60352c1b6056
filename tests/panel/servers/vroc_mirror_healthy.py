"""A server with Intel's RAID of the mainboard: md127 is the container, md126 the mirror in it. Nothing."""

from tests.panel import build
from tests.told import stacked

FIRST = ()
NEVER = ("md-inactive", "md-degraded")


def server():
    disks = [build.sata(at, attributes=build.PROTECTED) for at in range(2)]
    shown = {"md__metadata_version": "external:imsm", "md__array_state": "inactive", "md__level": "container"}
    container = stacked("md127", "9:127", ["sda", "sdb"], size="0", **shown)
    array = build.md(
        "md126",
        "9:126",
        "raid1",
        ["sda", "sdb"],
        md__metadata_version="external:/md127/0",
        md__consistency_policy="resync",
    )
    return build.server(
        *disks, layers=[container, array], mounts=[build.Mount("/", "md126", "9:126", fstab="errors=remount-ro")]
    )
