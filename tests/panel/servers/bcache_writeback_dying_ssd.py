"""A bcache in writeback mode whose only SSD fails its health test, hard disks in a mirror behind. The expert: write the
cache back before anybody pulls that SSD.
"""

from tests.panel import build
from tests.told import stacked

FIRST = ("writeback-cache-failing layer:bcache0", "drive-failing disk:sdd")
NEVER = ("writeback-cache-on-one-drive",)
MODE = "writethrough [writeback] writearound none"


def server():
    boot, *disks = build.sata(0, attributes=build.PROTECTED), build.hdd(1), build.hdd(2)
    ssd = build.sata(3, "Samsung SSD 870 EVO 500GB", 500107862016, passed=False)
    ssd.made[0]["/sys/block/sdd/bcache/cache_replacement_policy"] = "[lru] fifo random"
    shown = {"bcache__cache_mode": MODE, "bcache__state": "dirty", "queue__physical_block_size": "4096"}
    cached = stacked("bcache0", "252:0", ["md0", "sdd"], size="15628053168", queue__discard_max_bytes="0", **shown)
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"]) | {"/sys/block/md0/bcache/cache_mode": MODE}
    data = build.Mount("/srv", "bcache0", "252:0", "xfs")
    return build.server(boot, *disks, ssd, layers=[array, cached], mounts=[build.root(boot), data])
