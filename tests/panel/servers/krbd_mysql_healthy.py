"""MySQL on an image of Ceph that the kernel maps (rbd0), XFS. The expert: nothing; what is behind is another's."""

from tests.panel import build
from tests.told import disk

FIRST = ()
NEVER = ("commits-wait-for-drive", "hard-disk-without-scheduler", "network-disk-without-netdev")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    made = disk(
        "rbd0",
        where="rbd/0",
        number="251:0",
        size=str(500 * build.GIB // 512),
        queue__scheduler="[none] mq-deadline kyber bfq",
        queue__rotational="0",
        queue__minimum_io_size="65536",
        queue__optimal_io_size="4194304",
        queue__physical_block_size="512",
        queue__discard_max_bytes="4194304",
    )
    del made[0]["/sys/block/rbd0/device/model"]
    image = build.Drive("rbd0", made, {}, 500 * build.GIB, "251:0")
    return build.server(
        boot,
        image,
        mounts=[build.root(boot), build.Mount("/var/lib/mysql", "rbd0", "251:0", "xfs", fstab="noatime,_netdev")],
        programs=[("mysqld", "/var/lib/mysql")],
    )
