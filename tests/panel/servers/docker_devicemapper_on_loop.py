"""CentOS 7 with Docker's devicemapper over two sparse files in /var/lib/docker, the pool at 91 %. The expert: the pool
first, it stops all containers when it is full; then overlay2 on a filesystem with ftype=1.
"""

from fsadvisor.readers import dmsetup
from tests.panel import build

FIRST = ("thin-pool-nearly-full layer:dm-1",)
NEVER = ("thin-pool-promises-too-much",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    root = build.root(disk, fs_type="xfs")
    files = "/var/lib/docker/devicemapper/devicemapper"
    pool = "docker-8:1-1234567-pool"
    return build.server(
        disk,
        layers=[
            build.loop("loop0", "7:0", f"{files}/data"),
            build.loop("loop1", "7:1", f"{files}/metadata"),
            build.volume("dm-1", "253:1", ["loop0", "loop1"], pool, dm__uuid="", size="209715200"),
        ],
        mounts=[root],
        programs=[("dockerd", "/var/lib/docker")],
        kernel="3.10.0-1160.119.1.el7.x86_64",
        commands={
            "dmsetup table": f"{pool}: 0 209715200 thin-pool 7:1 7:0 128 32768 1 skip_block_zeroing\n",
            " ".join(dmsetup.DMSETUP_POOLS_ARGV): f"{pool}: 0 209715200 thin-pool 41 3802/524288 1490944/1638400 - "
            "rw discard_passdown queue_if_no_space -\n",
        },
    )
