"""A Kubernetes node installed on CentOS 7.2: containerd's overlay on an XFS with ftype=0. The expert: a new XFS for
/var/lib/containerd, before the next engine refuses it; its drive is well.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("xfs-without-file-types service:containerd /var/lib/containerd",)
NEVER = ("commits-wait-for-drive", "xfs-stripe-mismatch")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    mount = build.on(disk, "/var/lib/containerd", "xfs", commands=parts.xfs_answers(
        "/var/lib/containerd", "/dev/sda2", ftype__1="ftype=0"))  # fmt: skip
    return build.server(
        disk,
        mounts=[build.root(disk), mount],
        programs=[("containerd", "/var/lib/containerd")],
        kernel="3.10.0-1160.119.1.el7.x86_64",
    )
