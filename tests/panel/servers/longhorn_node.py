"""A node of Longhorn: replicas are sparse files on a data disk of its own, and its volumes come back as iSCSI disks,
each mounted by kubelet. The expert: nothing; copies are Longhorn's, and those disks go when their pods go.
"""

from tests.panel import build

FIRST = ()
NEVER = ("iscsi-path-given-up-late", "paths-not-joined", "network-disk-fails-soon", "network-disk-without-netdev",
         "fstab-kernel-name", "database-without-redundancy")  # fmt: skip
POD = "/var/lib/kubelet/pods/5d1c6a2e-0000-4000-8000-000000000001/volumes/kubernetes.io~csi/pvc-1/mount"


def server():
    boot, data = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)
    volume = build.sata(2, "VIRTUAL-DISK", 20 * build.GIB, device__vendor="IET     ")
    build.placed(volume, build.ISCSI)
    volume.commands = {}
    return build.server(
        boot,
        data,
        volume,
        mounts=[
            build.root(boot),
            build.on(data, "/var/lib/longhorn"),
            build.Mount(POD, volume.name, volume.number, size=20 * build.GIB),
        ],
        programs=[("k3s-agent", "/var/lib/rancher/k3s/agent")],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n"
        "UUID=5d1c6a2e-0000-4000-8000-000000000002 /var/lib/longhorn ext4 defaults 0 2\n",
    )
