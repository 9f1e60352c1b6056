"""A mirror of desktop disks that retry without a limit, while the kernel waits 30 s: set scterc or the time-out."""

import json

from tests.panel import build

FIRST = ("recovery-outlasts-kernel disk:sdb",)
NEVER = ("drive-failing", "shingled-disk-in-array")


def _desktop(at):
    disk = build.hdd(at, "ST2000DM001-1ER164", 2000398934016, device__timeout="30")
    ((asked, said),) = disk.commands.items()
    unlimited = {"ata_sct_capabilities": {"error_recovery_control_supported": False}}
    disk.commands = {asked: json.dumps(json.loads(said) | unlimited)}
    return disk


def server():
    boot, disks = build.sata(0, attributes=build.PROTECTED), [_desktop(1), _desktop(2)]
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"])
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
