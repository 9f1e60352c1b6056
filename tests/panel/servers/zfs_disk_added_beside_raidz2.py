"""Six disks in RAID-Z2, and somebody ran `zpool add -f` with a seventh: the pool is ONLINE and dies with that one disk.
The expert: attach two to it, today.
"""

from tests.panel import build, pools

FIRST = ("zfs-data-vdev-without-mirror filesystem:zfs at /tank",)
NEVER = ("zfs-pool-not-online", "copies-on-one-disk", "zfs-special-without-mirror")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in range(1, 8)]
    status = ("raidz2", *((f"/dev/sd{letter}1",) for letter in "bcdefg"), "logs", ("/dev/sdh1",))
    made = pools.on_zfs(disks=disks, vdevs=status)
    for asked, said in made.commands.items():
        made.commands[asked] = said.replace("\tlogs\t\n\t  /dev/sdh1", "\t  /dev/sdh1")
    return made
