"""A node of a cluster: Lustre over InfiniBand, home by NFS, a local scratch NVMe. Nothing."""

from tests.panel import build

FIRST = ()
NEVER = ("fstab-device-missing", "network-disk-without-netdev", "database-without-redundancy")


def server():
    disk = build.nvme(0, build.PM9A3)
    lustre = build.Mount(
        "/scratch", "lustre", "0:60", "lustre", inside="rw,flock,lazystatfs,encrypt", used=88, size=2 * 10**15
    )
    home = build.Mount("/home", "nfs", "0:61", "nfs4", inside="rw,vers=4.2,hard,proto=tcp,timeo=600,retrans=2", used=70)
    made = build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/local", "xfs"), lustre, home],
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n"
        "10.10.0.1@o2ib:10.10.0.2@o2ib:/scratch /scratch lustre flock,_netdev 0 0\n"
        "filer:/home /home nfs4 hard,_netdev 0 0\n",
        kernel="4.18.0-553.53.1.el8_10.x86_64",
    )
    table = made.files["/proc/self/mountinfo"]
    made.files["/proc/self/mountinfo"] = table.replace("/dev/lustre", "10.10.0.1@o2ib:10.10.0.2@o2ib:/scratch").replace(
        "/dev/nfs", "filer:/home"
    )
    return made
