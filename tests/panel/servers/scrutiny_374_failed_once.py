"""A disk one of whose attributes was below its threshold in the past and is above it again. The expert: nothing now.
What was is told by `when_failed: past`; what is counts.
"""

import json

from tests.panel import build

FIRST = ()
NEVER = ("drive-failing", "drive-reallocating", "unreadable-data")


def server():
    disk = build.hdd(1, "ST8000VN004-2M2101", attributes=((195, "Hardware_ECC_Recovered", 78, 40, 12345678),))
    for asked, words in disk.commands.items():
        report = json.loads(words)
        row = next(it for it in report["ata_smart_attributes"]["table"] if it["id"] == 195)
        row |= {"worst": 38, "when_failed": "past"}
        disk.commands[asked] = json.dumps(report)
    boot = build.sata(attributes=build.PROTECTED)
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
