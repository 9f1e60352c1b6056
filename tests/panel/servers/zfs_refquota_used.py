"""The dataset has no quota, but a refquota that is 97 % used, on a pool with plenty free: its writes fail next."""

from tests.panel import pools

FIRST = ("zfs-quota-nearly-used filesystem:zfs at /tank",)
NEVER = ("zfs-pool-nearly-full", "nearly-full")


def server():
    sizes = {"used": 3 * 10**12, "quota": 0, "usedbysnapshots": 10**9, "referenced": 97 * 10**9, "refquota": 10**11}
    return pools.on_zfs(sizes)
