"""Elasticsearch with its data on NFS, mounted soft. The expert: Lucene's locks and a share that answers with EIO after
three minutes lose shards; local disks, replicas do the rest.
"""

from tests.panel import build

FIRST = ("database-on-network-filesystem service:elasticsearch /srv/elasticsearch",)
NEVER = ("commits-wait-for-drive", "access-times-written")


def server():
    boot = build.sata(attributes=build.PROTECTED)
    share = build.Mount("/srv/elasticsearch", "filer:/es", "0:60", "nfs4",
                        inside="rw,vers=4.1,soft,timeo=600,retrans=2,proto=tcp", fstab="soft,_netdev")  # fmt: skip
    return build.server(
        boot, mounts=[build.root(boot), share], programs=[("java", "/srv/elasticsearch")],
        fstab="UUID=1 / ext4 defaults 0 1\nfiler:/es /srv/elasticsearch nfs4 soft,_netdev 0 0\n",
    )  # fmt: skip
