"""An NVMe drive whose controller went down (CSTS all ones) and came back, three times. The expert: its sleep states
(APST), the slot, its firmware. No SMART trouble.
"""

from tests.panel import build

FIRST = ("disk-errors-in-log disk:nvme1n1",)
NEVER = ("drive-failing",)


def server():
    boot, disk = build.nvme(0, build.PM9A3), build.nvme(1, "WD_BLACK SN850X 2000GB")
    said = (
        "nvme nvme1: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10",
        "nvme nvme1: Does your device have a faulty power saving mode enabled?",
        'nvme nvme1: Try "nvme_core.default_ps_max_latency_us=0 pcie_aspm=off" and report a bug',
    )
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")], log=said * 3)
