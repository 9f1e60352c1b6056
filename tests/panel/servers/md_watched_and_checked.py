"""A RAID 10 with a bitmap, watched, with MAILADDR, checked each month. Nothing to say."""

from fsadvisor.survey import arrays
from tests.panel import build

FIRST = ()
NEVER = ("md-nobody-told", "md-check-not-scheduled", "md-without-bitmap")


def server():
    disks = [build.hdd(at) for at in range(4)]
    return build.server(
        *disks,
        layers=[build.md("md0", "9:0", "raid10", [it.name for it in disks], size="31251824640")],
        mounts=[build.Mount("/", "md0", "9:0", size=7 * 10**12)],
        commands={
            " ".join(arrays.MD_UNITS): "Id=mdmonitor.service\nLoadState=loaded\nActiveState=active\n\n"
            "Id=mdcheck_start.timer\nLoadState=loaded\nActiveState=active\n",
            " ".join(arrays.MD_MAIL): "/etc/mdadm/mdadm.conf:1\n/dev/null:0\n",
        },
    )
