"""A control plane by kubeadm: etcd in a static pod, its host path on a consumer NVMe drive at 8 ms a flush. The
expert: leader elections come of that; give etcd a drive with PLP for itself.
"""

from tests.panel import build

FIRST = ("etcd-slow-flushes service:etcd /var/lib/etcd",)
NEVER = ("database-on-overlay", "etcd-never-flushes")
INSIDE = (
    "9 0 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/run/containerd/x/diff,workdir=/w\n"
    "10 9 259:1 /var/lib/etcd /var/lib/etcd rw - ext4 /dev/nvme0n1p1 rw\n"
)


def server():
    disk = build.nvme(0, flush_ms=8)
    made = build.server(disk, mounts=[build.root(disk)])
    made.running.append(
        {
            "pid": 900,
            "name": "etcd",
            "user": "0",
            "cwd": "/",
            "paths": ["/var/lib/etcd"],
            "environment": [],
            "settings": [["data_dir", "/var/lib/etcd"]],
            "here": False,
            "mounts": INSIDE,
            "container": "pod kube-system/etcd-node1 (etcd)",
        }
    )
    return made
