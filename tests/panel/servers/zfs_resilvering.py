"""A pool whose failed disk was replaced yesterday: it resilvers, and is DEGRADED until that ends. The expert: let it
finish, pull no disk, start no scrub; look at the SMART of the others.
"""

from fsadvisor.readers import zfs_tools
from tests.panel import build, pools

FIRST = ("zfs-pool-not-online filesystem:zfs at /tank",)
STATUS = """  pool: tank
 state: DEGRADED
status: One or more devices is currently being resilvered.  The pool will
        continue to function, possibly in a degraded state.
action: Wait for the resilver to complete.
  scan: resilver in progress since Thu Nov 19 20:11:07 2026
        9.41T / 21.3T scanned at 812M/s, 7.02T / 21.3T issued at 611M/s
        1.71T resilvered, 32.96% done, 06:48:12 to go
config:

        NAME             STATE     READ WRITE CKSUM
        tank             DEGRADED     0     0     0
          raidz2-0       DEGRADED     0     0     0
            sdb1         ONLINE       0     0     0
            sdc1         ONLINE       0     0     0
            replacing-2  DEGRADED     0     0     0
              old        UNAVAIL      0     0     0  was /dev/sdd1/old
              sdd1       ONLINE       0     0     0  (resilvering)
            sde1         ONLINE       0     0     0

errors: No known data errors
"""


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2, 3, 4)]
    made = pools.on_zfs(disks=disks, listed=("tank", 12, "DEGRADED"))
    status = STATUS.replace("\n        ", "\n\t")
    made.commands[" ".join(zfs_tools.ZPOOL_STATUS_ARGV)] = status
    return made
