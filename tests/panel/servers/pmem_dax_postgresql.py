"""PostgreSQL on persistent memory, XFS with dax. The expert: nothing; it keeps what is flushed."""

from tests.panel import build
from tests.told import disk

FIRST = ()
NEVER = ("commits-wait-for-drive", "volatile-cache-not-flushed", "database-in-memory")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    made = disk(
        "pmem0",
        where="LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0/region0/namespace0.0",
        number="259:0",
        size=str(750 * build.GIB // 512),
        cache="write through",
        queue__rotational="0",
        queue__scheduler="none",
        queue__dax="1",
    )
    del made[0]["/sys/block/pmem0/device/model"]
    drive = build.Drive("pmem0", made, {}, 750 * build.GIB, "259:0")
    data = build.Mount(
        "/var/lib/postgresql",
        "pmem0",
        "259:0",
        "xfs",
        inside="rw,attr2,dax=always,inode64,logbufs=8,logbsize=32k,noquota",
    )
    return build.server(
        boot,
        drive,
        mounts=[build.root(boot), data],
        programs=[("postgres", "/var/lib/postgresql")],
        files=build.postgresql("/var/lib/postgresql"),
    )
