"""A mirror of disks three years old that never tested themselves: set smartd's schedule, one long test a month."""

from tests.panel import build

FIRST = ()
BESIDE = ("self-test-never-run disk:sdb",)
NEVER = ("self-test-failed", "drive-failing")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    never = {"ata_smart_self_test_log": {"standard": {"count": 0}}, "power_on_time": {"hours": 26_000}}
    disks = [build.said(build.hdd(at), **never) for at in (1, 2)]
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"])
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
