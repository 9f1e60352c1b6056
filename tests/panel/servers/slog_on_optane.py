"""MySQL on a pool of hard disks with a mirrored log on two Optane 900P. The expert: nothing, they hold what they
acknowledge.
"""

from tests.panel import build, pools

FIRST = ()
NEVER = ("zfs-log-without-protection", "zfs-log-without-mirror")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    logs = [build.nvme(at, "INTEL SSDPED1D280GA", 280 * 10**9, vwc=0, cache="write through") for at in (0, 1)]
    return pools.on_zfs(
        {"recordsize": "16384"},
        disks=[*disks, *logs],
        vdevs=("mirror", ("/dev/sdb1",), ("/dev/sdc1",), "logs", "mirror", ("/dev/nvme0n1p1",), ("/dev/nvme1n1p1",)),
        programs=[("mysqld", "/tank/mysql")],
    )
