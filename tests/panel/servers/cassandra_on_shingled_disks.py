"""Cassandra on two shingled disks, a filesystem each (JBOD). Compactions rewrite all the time, and such a disk falls to
a few MB/s once its cache zone is full. The expert: conventional disks or SSDs; no setting helps.
"""

from tests.panel import build

FIRST = ("shingled-disk-below-database service:cassandra /data1/cassandra",)
NEVER = ("mongodb-on-ext4", "shingled-disk-in-array")


def server():
    boot = build.sata(attributes=build.PROTECTED)
    disks = [build.hdd(at, "ST8000DM004-2CX188") for at in (1, 2)]
    mounts = [build.root(boot), *(build.on(disk, f"/data{at}", "xfs") for at, disk in enumerate(disks, 1))]
    return build.server(boot, *disks, mounts=mounts, programs=[("java", "/data1/cassandra")])
