"""A disk whose last long self-test met an unreadable sector, and that calls itself healthy: see to the backup."""

import json

from tests.panel import build

FIRST = ("self-test-failed disk:sdb",)
NEVER = ("drive-failing", "unreadable-data")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    ((asked, said),) = disk.commands.items()
    log = {"standard": {"count": 1, "table": [{"status": {"passed": False, "string": "Completed: read failure"}}]}}
    disk.commands = {asked: json.dumps(json.loads(said) | {"ata_smart_self_test_log": log})}
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv")])
