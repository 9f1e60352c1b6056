"""A RAID 5 of which two of four members were found after a reboot: inactive, /srv not mounted. Look at Events first;
never --create. The container of an Intel RAID beside it is inactive by design.
"""

from tests.panel import build
from tests.told import stacked

FIRST = ("md-inactive host",)
NEVER = ("md-degraded", "md-nobody-told")


def server():
    boot, *disks = build.sata(6, attributes=build.PROTECTED), *(build.hdd(at) for at in range(4))
    stopped = {"size": "0", "md__level": "", "md__array_state": "inactive"}
    return build.server(
        boot,
        *disks,
        layers=[
            stacked("md127", "9:127", ["sda", "sdb"], **stopped, md__raid_disks="4", md__metadata_version="1.2",
                    **{"md__dev-sda__state": "spare", "md__dev-sdb__state": "spare"}),
            stacked("md126", "9:126", ["sdc"], **stopped, md__metadata_version="external:imsm",
                    **{"md__dev-sdc__state": "spare"}),
        ],
        mounts=[build.root(boot)],
    )  # fmt: skip
