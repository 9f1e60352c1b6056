"""Prometheus with its data on an NFS share, which its makers do not support: move it to a local disk."""

from tests.panel import build

FIRST = ("database-on-network-filesystem service:prometheus /srv/prometheus",)
NEVER = ("commits-wait-for-drive",)


def server():
    boot = build.sata(attributes=build.PROTECTED)
    share = build.Mount("/srv/prometheus", "filer:/prometheus", "0:60", "nfs4", inside="rw,vers=4.2,hard,proto=tcp",
                        fstab="vers=4.2,_netdev")  # fmt: skip
    return build.server(
        boot, mounts=[build.root(boot), share], programs=[("prometheus", "/srv/prometheus")],
        fstab="UUID=1 / ext4 defaults 0 1\nfiler:/prometheus /srv/prometheus nfs4 vers=4.2,_netdev 0 0\n",
    )  # fmt: skip
