"""k3s on the eMMC of a small board, 35 ms a flush: the API server stalls with each write. The expert: move the
datastore to an SSD with PLP. The eMMC tells nothing of its health, and nothing is made up of it.
"""

from tests.machines import parts
from tests.panel import build
from tests.told import disk

FIRST = ("cluster-state-on-card service:k3s /var/lib/rancher/k3s/server/db",)
NEVER = ("drive-failing", "fstab-kernel-name")


def server():
    made = disk(
        "mmcblk0",
        where="platform/fe330000.mmc/mmc_host/mmc0/mmc0:0001",
        number="179:0",
        size=str(64 * build.GIB // 512),
        queue__scheduler="none [mq-deadline]",
        queue__zoned="none",
        device__type="MMC",
        device__name="DA4064",
        stat=parts.stat(10_000_000, 350_000),
    )
    drive = build.Drive("mmcblk0", made, {}, 64 * build.GIB, "179:0")
    return build.server(
        drive,
        mounts=[build.Mount("/", *drive.partition(1, 60 * build.GIB), size=60 * build.GIB, fstab="errors=remount-ro")],
        programs=[("k3s-server", "/var/lib/rancher/k3s/server/db")],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n",
    )
