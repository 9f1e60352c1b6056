"""A RAID 6 of old make without a bitmap: each crash costs a day of resync. `mdadm --grow --bitmap=internal`."""

from fsadvisor.survey import arrays
from tests.panel import build

FIRST = ("md-without-bitmap layer:md0",)
NEVER = ("md-write-hole",)


def server():
    disks = [build.hdd(at) for at in range(4)]
    return build.server(
        *disks,
        layers=[
            build.md(
                "md0", "9:0", "raid6", [it.name for it in disks], size="31251824640", md__consistency_policy="resync"
            )
        ],
        mounts=[build.Mount("/", "md0", "9:0", size=7 * 10**12)],
        commands={
            " ".join(arrays.MD_UNITS): "Id=mdmonitor.service\nLoadState=loaded\nActiveState=active\n\n"
            "Id=mdcheck_start.timer\nLoadState=loaded\nActiveState=active\n",
            " ".join(arrays.MD_MAIL): "/etc/mdadm/mdadm.conf:1\n/dev/null:0\n",
        },
    )
