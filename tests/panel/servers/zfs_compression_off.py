"""An old pool at 50 % without compression, and nothing else: worth a word, no more. The expert mentions it for new
datasets, and never sets it on one that holds other things.
"""

from tests.panel import pools

FIRST = ()
BESIDE = ("zfs-compression-off filesystem:zfs at /tank",)
NEVER = ("zfs-dedup-on", "zfs-sync-disabled")


def server():
    return pools.on_zfs({"compression": "off"}, capacity=50)
