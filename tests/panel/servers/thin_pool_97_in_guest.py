"""A KVM guest whose docker data is on a thin volume of a pool at 97 %. The expert: enlarge the guest's disk or the
pool; what's virtual changes nothing about that.
"""

from tests.panel import build

FIRST = ("thin-pool-nearly-full layer:dm-1",)
NEVER = ("nearly-full", "drive-failing", "hard-disk-without-scheduler")


def server():
    disk = build.virtio(0, 100 * build.GIB)
    return build.server(
        disk,
        mounts=[build.root(disk), build.Mount("/var/lib/docker", "dm-2", "253:2", "xfs")],
        **build.thin_pool(disk, "docker", data="97.12", metadata="31.00"),
        programs=[("dockerd", "/var/lib/docker")],
        vm="kvm",
    )
