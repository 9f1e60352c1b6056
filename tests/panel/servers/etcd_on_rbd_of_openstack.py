"""A control plane in OpenStack: etcd in a static pod on a volume of Ceph, 14 ms a flush. The expert: leader elections
come from that; a volume of local SSDs or provisioned IOPS. Nothing about drives that are not seen.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("etcd-slow-flushes service:etcd /var/lib/etcd",)
NEVER = ("etcd-on-hard-disk", "commits-wait-for-drive", "hard-disk-without-scheduler")


def server():
    boot, disk = build.virtio(0), build.virtio(1, 40 * build.GIB)
    disk.made[0]["/sys/block/vdb/stat"] = parts.stat(10_000_000, 140_000)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/etcd", size=40 * build.GIB)],
        programs=[("etcd", "/var/lib/etcd"), ("kubelet", "/var/lib/kubelet")],
        vm="kvm",
    )
