"""PostgreSQL in a KVM guest whose virtio disk says "write back", as with QEMU's cache=writeback, 1 ms a flush. The
expert: nothing; flushes pass to the host. What the host does with them nobody sees in here.
"""

from tests.panel import build

PLACE = "/var/lib/postgresql"
FIRST = ()
NEVER = ("commits-not-flushed", "volatile-cache-not-flushed", "nobarrier-without-gain", "database-without-redundancy")


def server():
    system, data = build.virtio(0), build.virtio(1, 200 * build.GIB)
    return build.server(
        system,
        data,
        mounts=[build.root(system), build.Mount(PLACE, *data.partition(1, 200 * build.GIB), size=200 * build.GIB)],
        programs=[("postgres", f"{PLACE}/16/main")],
        files=build.postgresql(f"{PLACE}/16/main"),
        vm="kvm",
    )
