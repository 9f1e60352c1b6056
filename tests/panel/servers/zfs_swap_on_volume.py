"""An installer put swap on a volume of the pool, as Proxmox 4 did. The expert: when memory is short, the machine hangs
in ZFS until it is reset; swap on a partition instead.
"""

from tests.panel import pools
from tests.told import stacked

FIRST = ("swap-on-zvol host",)


def server():
    areas = "Filename Type Size Used Priority\n/dev/zd0 partition 8388604 0 -2\n"
    return pools.on_zfs(files={"/proc/swaps": areas} | stacked("zd0", "230:0", ()))
