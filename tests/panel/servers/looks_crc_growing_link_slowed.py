"""The same bad cable, of which the kernel's log tells as well: resets, ICRC, the link slowed to 1.5 Gbps. One thing is
wrong, so one thing is said: the cable.
"""

from tests.panel import build
from tests.panel.servers import looks_crc_growing as quiet

FIRST = ("drive-link-errors-growing disk:sdb",)
BESIDE = ("disk-resets-in-log disk:sdb",)
NEVER = ("disk-resets-in-log", "drive-link-errors")


def server():
    made = quiet.server()
    told = (
        "ata2.00: exception Emask 0x10 SAct 0x7 SErr 0x400100 action 0x6 frozen",
        "ata2.00: error: { ICRC ABRT }",
        "ata2: limiting SATA link speed to 1.5 Gbps",
        "ata2: hard resetting link",
    )
    made.commands["dmesg"] = build.server(mounts=[], log=told).commands["dmesg"]
    return made
