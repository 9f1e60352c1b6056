"""A RAID 10 without MAILADDR: the first dead drive goes unseen until the second. Name somebody."""

from fsadvisor.survey import arrays
from tests.panel import build

FIRST = ("md-nobody-told host",)
NEVER = ("md-check-not-scheduled", "md-degraded")


def server():
    disks = [build.hdd(at) for at in range(4)]
    return build.server(
        *disks,
        layers=[build.md("md0", "9:0", "raid10", [it.name for it in disks], size="31251824640")],
        mounts=[build.Mount("/", "md0", "9:0", size=7 * 10**12)],
        commands={
            " ".join(arrays.MD_UNITS): "Id=mdmonitor.service\nLoadState=loaded\nActiveState=inactive\n\n"
            "Id=mdcheck_start.timer\nLoadState=loaded\nActiveState=active\n",
            " ".join(arrays.MD_MAIL): "/etc/mdadm/mdadm.conf:0\n/dev/null:0\n",
        },
    )
