"""A mirror whose disks test themselves each month, and one test was stopped by a reboot. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("self-test-never-run", "self-test-failed")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    log = [{"status": {"string": "Interrupted (host reset)"}}, {"status": {"passed": True}}]
    tested = {"ata_smart_self_test_log": {"standard": {"count": 2, "table": log}}, "power_on_time": {"hours": 26_000}}
    disks = [build.said(build.hdd(at), **tested) for at in (1, 2)]
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"])
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
